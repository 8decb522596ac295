#!/usr/bin/env bash
# Runs a program on Vulkan with the Khronos validation layer in between, whose checks
# include synchronisation. The layer must have been there, and have found nothing.
#
#   validated.sh FOLDER COMMAND...     FOLDER: for the layer's settings and log
#
# Status 77: there is no layer, or no Vulkan device, on this machine.
set -uo pipefail
folder=$1
shift
mkdir -p "$folder"
log=$folder/validation.txt
rm -f "$log"

present() { # present PATTERN: whether a folder of Vulkan's has such a file
  local folder
  for folder in /usr/share /usr/local/share /etc "$HOME/.local/share"; do
    compgen -G "$folder/vulkan/$1" >/dev/null && return 0
  done
  return 1
}
if ! present explicit_layer.d/VkLayer_khronos_validation.json; then
  echo "skipped: no validation layer (package vulkan-validationlayers)"
  exit 77
fi
if ! present 'icd.d/*.json'; then
  echo "skipped: no Vulkan driver (package mesa-vulkan-drivers)"
  exit 77
fi

cat >"$folder/vk_layer_settings.txt" <<SETTINGS
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.log_filename = $log
khronos_validation.report_flags = error,warn
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
SETTINGS
export VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
VK_LOADER_DEBUG=layer "$@" 2>"$folder/stderr.txt"
status=$?
grep -v 'LAYER: ' "$folder/stderr.txt" >&2
if [ $status -ne 0 ]; then
  exit $status
fi
if ! grep -q 'Insert instance layer "VK_LAYER_KHRONOS_validation"' "$folder/stderr.txt"; then
  echo "the validation layer was not in between: no Vulkan instance was made"
  exit 1
fi
if [ -s "$log" ]; then
  echo "the validation layer says:"
  head -c 4000 "$log"
  exit 1
fi
