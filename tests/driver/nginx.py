"""An nginx that keeps the entries of the remote cache in a folder, as docs/farm.md shows it."""

import os
import shutil
import socket
import subprocess
import time

CONFIGURATION = """
daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log; {user}
events {{ worker_connections 256; }}
http {{
  access_log {place}/access.log;
  client_body_temp_path {place}/body; proxy_temp_path {place}/t1; fastcgi_temp_path {place}/t2;
  uwsgi_temp_path {place}/t3; scgi_temp_path {place}/t4;
  keepalive_requests 100000;
  server {{
    listen 127.0.0.1:{port};
    location /sextant/ {{
      root {place}/store;
      dav_methods PUT;
      client_max_body_size 16m;
      {location}
    }}
  }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Nginx:
    """Runs until stop(). The entries are in PLACE/store/sextant."""

    @staticmethod
    def program():
        return shutil.which("nginx", path="/usr/sbin:" + os.environ["PATH"])

    def __init__(self, place, location=""):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/sextant"
        (place / "store/sextant").mkdir(parents=True, exist_ok=True)
        user = "user root;" if os.getuid() == 0 else ""
        (place / "nginx.conf").write_text(
            CONFIGURATION.format(place=place, user=user, port=port, location=location))
        self.process = subprocess.Popen([self.program(), "-p", place, "-c", place / "nginx.conf"])
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        self.stop()
        raise RuntimeError((place / "error.log").read_text())

    def stop(self):
        self.process.terminate()
        self.process.wait()
