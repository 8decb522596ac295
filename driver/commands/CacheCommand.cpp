// `sextant cache`: shows the cache of compiled images, and makes it smaller.
#include "driver/cache/CacheFolder.h"
#include "driver/commands/CacheSettings.h"
#include "driver/commands/Commands.h"
#include "packager/Json.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct CacheCommandOptions {
  CacheOptionsText cache;
  bool clear = false, trim = false, stats = false, json = false;
};

int cacheCommand(const CacheCommandOptions &options, Environment &environment) {
  if (options.cache.isOff)
    throw Refusal(Problem::OptionsExclusive, "--no-cache leaves `sextant cache` nothing to do",
                  "leave it out");
  CacheSettings settings = cacheSettings(options.cache, environment);
  if (settings.folder.empty())
    throw Refusal(Problem::CacheFolderMissing, "no cache is named",
                  "set SEXTANT_CACHE_DIR, or say --cache-dir FOLDER");
  // A folder that does not exist yet counts as empty.
  const OwnFolder folder(settings.folder);
  if (const FolderTrouble &trouble = folder.trouble(); trouble.isDistrust)
    throw Refusal(Problem::CacheFolderUntrusted, "the cache is not used: " + trouble.what,
                  trouble.fix);
  else if (!trouble.what.empty())
    throw Refusal(Problem::CacheSettingWrong, "the cache " + trouble.what, trouble.fix);
  std::optional<CacheTotals> found = CacheTotals();
  if (folder.isOpen() && options.clear)
    found = clearCache(folder);
  else if (folder.isOpen() && options.trim)
    found = trimCache(folder, settings.limit ? settings.limit : UINT64_MAX);
  else if (folder.isOpen())
    found = cacheTotals(folder);
  if (!found)
    throw Refusal(Problem::CacheLocked,
                  "the cache '" + settings.folder +
                      "' is locked by another process, or cannot be written",
                  "wait for the builds that use it, or end them");
  const CacheTotals &totals = *found;
  if (options.json) {
    packager::JsonWriter json;
    json.beginDocument().member("folder", settings.folder).member("entries", totals.entries);
    json.member("bytes", totals.bytes).key("limit");
    settings.limit ? json.value(settings.limit) : json.null();
    json.member("hits", totals.hits).member("misses", totals.misses);
    json.key("remote").beginObject();
    json.member("hits", totals.remoteHits).member("misses", totals.remoteMisses);
    json.member("errors", totals.remoteErrors).member("sent", totals.remoteSent).endObject();
    json.endObject();
    environment.out << json.str();
    return 0;
  }
  environment.out << "folder   " << settings.folder << "\n"
                  << "entries  " << totals.entries << "\n"
                  << "size     " << formatByteSize(totals.bytes) << " of "
                  << (settings.limit ? formatByteSize(settings.limit) : "any size") << "\n"
                  << "hits     " << totals.hits << "\n"
                  << "misses   " << totals.misses << "\n";
  if (totals.remoteHits + totals.remoteMisses + totals.remoteErrors + totals.remoteSent)
    environment.out << "remote   " << totals.remoteHits << " hits, " << totals.remoteMisses
                    << " misses, " << totals.remoteErrors << " errors, " << totals.remoteSent
                    << " sent\n";
  return 0;
}

} // namespace

void addCacheCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<CacheCommandOptions>();
  CLI::App *command = app.add_subcommand("cache", "Show, trim or clear the cache of images");
  addCacheOptions(*command, options->cache);
  CLI::Option *stats =
      command->add_flag("--stats", options->stats, "show what is in it (the default)");
  CLI::Option *trim = command->add_flag(
      "--trim", options->trim, "remove what was used least recently, down to --cache-size");
  CLI::Option *clear = command->add_flag("--clear", options->clear, "remove everything");
  command->add_flag("--json", options->json, "print one JSON object");
  clear->excludes(trim)->excludes(stats);
  trim->excludes(stats);
  actions[command] = [options, &environment] { return cacheCommand(*options, environment); };
}

} // namespace sextant
