"""An nginx that keeps the entries of the remote cache in a folder, as docs/farm.md shows it."""

import os
import shutil
import socket
import subprocess
import time

# An authority, and a certificate of 127.0.0.1 that it signed.
CERTIFICATES = """
cd "$1"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=Test authority" \\
  -keyout authority.key -out authority.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=127.0.0.1 -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -out server.pem \\
  -extfile "$2"
"""

CONFIGURATION = """
daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log; {user}
events {{ worker_connections 256; }}
http {{
  access_log {place}/access.log;
  client_body_temp_path {place}/body; proxy_temp_path {place}/t1; fastcgi_temp_path {place}/t2;
  uwsgi_temp_path {place}/t3; scgi_temp_path {place}/t4;
  keepalive_requests 100000;
  server {{
    listen 127.0.0.1:{port}{tls};
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

    def __init__(self, place, location="", certified=None):
        """certified: serves HTTPS, with a certificate of this host. PLACE/authority.pem signed it."""
        port = free_port()
        self.url = f"{'https' if certified else 'http'}://127.0.0.1:{port}/sextant"
        (place / "store/sextant").mkdir(parents=True, exist_ok=True)
        tls = ""
        if certified:
            (place / "names").write_text(f"subjectAltName = {certified}\n")
            subprocess.run(["sh", "-ec", CERTIFICATES, "-", place, place / "names"], check=True, capture_output=True)
            tls = f" ssl; ssl_certificate {place}/server.pem; ssl_certificate_key {place}/server.key"
        user = "user root;" if os.getuid() == 0 else ""
        (place / "nginx.conf").write_text(
            CONFIGURATION.format(place=place, user=user, port=port, location=location, tls=tls))
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
