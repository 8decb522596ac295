// `sextant sign`: signs modules with an Ed25519 key; `sextant keygen` makes one.
#include "driver/commands/Commands.h"
#include "driver/commands/KeyFiles.h"
#include "driver/commands/ModuleFile.h"
#include "packager/Json.h"
#include "packager/Sign.h"
#include "packager/Words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

namespace sextant {
namespace {

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

struct SignOptions {
  std::string module, output;
  std::string key;     ///< signs here
  std::string message; ///< the file for the message, which is signed elsewhere
  std::string signature,
      publicKey; ///< files with the signature that was made elsewhere, and its key
};

int signCommand(const SignOptions &options, Environment &environment) {
  if (options.key.empty() && options.message.empty() && options.signature.empty())
    throw Refusal(Problem::OptionMissing, "nothing says how to sign",
                  "pass --key FILE, or for a key that is kept elsewhere --message FILE and then "
                  "--signature FILE");
  const std::string file = readFile(environment, options.module);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  auto need = [&]<class T>(module::Result<T> result) {
    if (!result)
      throw refusalOf(options.module, result.error(), {}, Problem::ModuleNotTrusted);
    return std::move(*result);
  };
  if (!options.message.empty()) {
    const module::SignedMessage message = need(packager::messageOf(bytes));
    writeFile(environment, options.message, asText(std::as_bytes(std::span(message))));
    return 0;
  }
  std::vector<std::byte> made;
  if (!options.key.empty()) {
    made = need(packager::sign(bytes, readSecretKey(environment, options.key)));
  } else {
    const std::string text = readFile(environment, options.signature);
    packager::Signature signature{};
    if (text.size() != signature.size())
      throw Refusal(Problem::KeyUnreadable, options.signature +
                                                ": an Ed25519 signature has 64 bytes, there are " +
                                                std::to_string(text.size()));
    std::copy(text.begin(), text.end(), signature.begin());
    made = need(
        packager::withSignature(bytes, readPublicKey(environment, options.publicKey), signature));
  }
  writeFile(environment, options.output.empty() ? options.module : options.output, asText(made));
  return 0;
}

/// Prints the key as hexadecimal digits and as a C initialiser of sxt_public_key, or as JSON.
void print(const module::PublicKey &key, bool isJson, Environment &environment) {
  if (isJson) {
    packager::JsonWriter json;
    json.beginDocument().member("publicKey", packager::hex(key)).endObject();
    environment.out << json.str();
    return;
  }
  environment.out << packager::hex(key) << "\n{{";
  for (size_t i = 0; i < key.size(); ++i)
    environment.out << (i == 0        ? "0x"
                        : i % 16 == 0 ? ",\n  0x"
                                      : ", 0x")
                    << packager::hex(std::span(&key[i], 1));
  environment.out << "}}\n";
}

struct KeygenOptions {
  std::string file;
  bool force = false, show = false, json = false;
};

int keygenCommand(const KeygenOptions &options, Environment &environment) {
  if (options.show) {
    print(readPublicKey(environment, options.file), options.json, environment);
    return 0;
  }
  const std::string publicFile = options.file + ".pub";
  if (!options.force && std::filesystem::exists(resolvePath(environment, publicFile)))
    throw Refusal(Problem::FileExists, "'" + publicFile + "' exists",
                  "pass another name, or --force to lose that key");
  const packager::SecretKey secret = packager::newKey();
  const module::PublicKey key = packager::publicKeyOf(secret);
  writeSecret(environment, options.file, packager::textOf(secret), options.force);
  writeFile(environment, publicFile, packager::textOf(key));
  print(key, options.json, environment);
  return 0;
}

} // namespace

void addSignCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<SignOptions>();
  CLI::App *sign = app.add_subcommand("sign", "Sign a module, so that loaders can know its maker");
  sign->add_option("module", options->module, "the module (.sxt)")->required();
  sign->add_option("-o,--output", options->output, "the signed module; default: in place");
  CLI::Option *key =
      sign->add_option("--key", options->key, "sign with the secret key in this file");
  CLI::Option *message = sign->add_option(
      "--message", options->message, "write the bytes to sign, for a key that is kept elsewhere");
  CLI::Option *signature =
      sign->add_option("--signature", options->signature, "put in the signature of those bytes");
  key->excludes(message, signature);
  message->excludes(signature);
  CLI::Option *publicKey =
      sign->add_option("--public-key", options->publicKey, "the key that made --signature");
  signature->needs(publicKey);
  publicKey->needs(signature);
  actions[sign] = [options, &environment] { return signCommand(*options, environment); };
}

void addKeygenCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<KeygenOptions>();
  CLI::App *keygen = app.add_subcommand("keygen", "Make a pair of Ed25519 keys for `sign`");
  keygen
      ->add_option("file", options->file,
                   "the secret key, only for its owner's eyes; FILE.pub becomes the public one")
      ->required();
  CLI::Option *force =
      keygen->add_flag("--force", options->force, "replace a key that is there: it is lost");
  keygen
      ->add_flag("--show", options->show,
                 "make nothing: print the public key in FILE, in hexadecimal and for C")
      ->excludes(force);
  keygen->add_flag("--json", options->json, "print the public key as one JSON object");
  actions[keygen] = [options, &environment] { return keygenCommand(*options, environment); };
}

} // namespace sextant
