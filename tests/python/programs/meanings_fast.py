"""A function and a class whose names another file of meanings.py has, too."""

import quadrants as qd


@qd.func
def law(a):
    return 4 * a


@qd.data_oriented
class Thing:
    @qd.func
    def law(self, a):
        return 5 * a
