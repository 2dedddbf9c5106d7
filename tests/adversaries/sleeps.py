"""Never answers."""

import time


class Bot:
    def act(self, view):
        time.sleep(3600)
