"""An HTTP server for the remote cache's tests that does what servers should not do.

It keeps entries in memory, so that it is a good server until `fault` says otherwise.
"""

import http.server
import threading
import time


class FaultyServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # connections come all at once

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.entries = {}
        self.requests = []  # (method, path, the values of Authorization and X-Token)
        self.fault = ""
        self.ended = threading.Event()  # handlers wait for it
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/sextant"

    def handle_error(self, *_):
        pass  # clients that give up are what the tests are about

    def stop(self):
        self.ended.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def take_note(self):
        self.server.requests.append(
            (self.command, self.path, self.headers.get("Authorization"), self.headers.get("X-Token")))

    def do_PUT(self):
        self.take_note()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.server.fault
        if fault == "silent":
            self.server.ended.wait()
        elif fault == "redirect-put" and "/elsewhere/" not in self.path:
            self.answer(307, Location=self.path.replace("/sextant/", "/elsewhere/"))
        elif fault.startswith("put-"):
            self.answer(int(fault[4:]))
        else:
            self.server.entries[self.path] = body
            self.answer(201)

    def do_GET(self):
        self.take_note()
        fault = self.server.fault
        entry = self.server.entries.get(self.path.replace("/elsewhere/", "/sextant/"))
        if fault == "silent":
            self.server.ended.wait()
        elif fault == "late":
            time.sleep(0.5)
            self.answer(404)
        elif fault.startswith("get-"):
            self.answer(int(fault[4:]))
        elif fault == "redirect" and "/elsewhere/" not in self.path:
            self.answer(302, Location=self.path.replace("/sextant/", "/elsewhere/"))
        elif fault == "loop":
            self.answer(302, Location=self.path)
        elif fault == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while not self.server.ended.is_set():
                    self.wfile.write(bytes(1 << 20))
            except OSError:
                pass
        elif entry is None:
            self.answer(404)
        elif fault == "drip":
            self.send_response(200)
            self.send_header("Content-Length", str(len(entry)))
            self.end_headers()
            try:
                for byte in entry:
                    self.wfile.write(bytes([byte]))
                    if self.server.ended.wait(0.2):
                        break
            except OSError:
                pass
        elif fault == "cut":  # less than the head of the answer promises
            self.send_response(200)
            self.send_header("Content-Length", str(len(entry)))
            self.end_headers()
            self.wfile.write(entry[: len(entry) // 2])
            self.close_connection = True
        elif fault == "short":
            self.answer(200, entry[: len(entry) // 2])
        elif fault == "flip":
            self.answer(200, entry[:-1] + bytes([entry[-1] ^ 1]))
        elif fault == "other":  # a whole entry, of another key
            self.answer(200, next(e for p, e in self.server.entries.items() if p != self.path))
        elif fault == "page":
            self.answer(200, b"<html>Please log in</html>")
        else:
            self.answer(200, entry)
