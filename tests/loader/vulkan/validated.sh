#!/usr/bin/env bash
# Runs a program on Vulkan with the Khronos validation layer in between, whose checks
# include synchronisation. The layer must have been there, and have found nothing.
#
#   validated.sh FOLDER COMMAND...     FOLDER: for the layer's settings and the output
#
# Status 77: there is no layer, or no Vulkan device, on this machine.
set -uo pipefail
folder=$1
shift
mkdir -p "$folder"
log=$folder/output.txt # the layer writes to the standard output

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
khronos_validation.report_flags = error,warn
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT
SETTINGS
export VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
VK_LOADER_DEBUG=layer "$@" >"$log" 2>"$folder/stderr.txt"
status=$?
head -c 8000 "$log"
grep -v 'LAYER: ' "$folder/stderr.txt" >&2
if [ $status -ne 0 ]; then
  exit $status
fi
if ! grep -q 'Insert instance layer "VK_LAYER_KHRONOS_validation"' "$folder/stderr.txt"; then
  echo "the validation layer was not in between: no Vulkan instance was made"
  exit 1
fi
if grep -qE 'Validation (Error|Warning|Performance)|VUID-|SYNC-HAZARD|UNASSIGNED-' "$log"; then
  echo "the validation layer found something"
  exit 1
fi
