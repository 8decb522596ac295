#!/usr/bin/env bash
# Pictures of pages of the site at three widths, light and dark: look.sh SITE. They lie in SITE/look.
set -euo pipefail
site=$(realpath "$1")
mkdir -p "$site/look"
for page in index tutorial examples/README howto/README language reference/cpp reference/python/sextant/index \
  messages/README messages/range-step-zero; do
  for width in 390 820 1440; do
    for theme in light dark; do
      # The page in a frame of the width: a window of Chromium has at least 500 pixels. Furo takes the
      # reader's choice from its own storage, or what the system prefers.
      dark=(); [ $theme = light ] || dark=(--force-dark-mode --blink-settings=preferredColorScheme=0)
      frame=$site/html/look-frame.html
      echo "<body style='margin:0'><iframe src='$page.html' style='border:0;width:${width}px;height:1100px'></iframe>" >"$frame"
      chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files "${dark[@]}" \
        --virtual-time-budget=2000 --window-size=$((width < 500 ? 500 : width)),1100 \
        --screenshot="$site/look/${page//\//-}-$width-$theme.png" "file://$frame" 2>/dev/null
      rm "$frame"
    done
  done
done
ls "$site/look" | wc -l
