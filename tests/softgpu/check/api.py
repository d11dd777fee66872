"""Calls that return an error, which the program does not look at; see corpus.py."""
import unittest

import corpus


def failed(kind, name, words):
    return ({kind: 1}, kind.replace("-", " "), "bug: " + name, words)


BUGS = {name: failed(*row) for name, row in {
    "too-wide": ("launch-failed", "too-wide", ", fill(int*): 1 x 1 x 1 workgroups of 2048 x 1 x 1 work-items, "
                 "0 bytes of LDS beside the kernel's own\n"),
    "above-bounds": ("launch-failed", "above-bounds", ", fill_little(int*): 1 x 1 x 1 workgroups of 256 x 1 x 1 "),
    "too-much-lds": ("launch-failed", "too-much-lds", ", swap(int*): 1 x 1 x 1 workgroups of 256 x 1 x 1 work-items, "
                     "200000 bytes of LDS beside the kernel's own"),
    "too-many-groups": ("launch-failed", "too-many-groups", "hipErrorCooperativeLaunchTooLarge (720), fill(int*): "),
    "too-large": ("call-failed", "too-large", "hipErrorOutOfMemory (2)"),
    "nowhere": ("call-failed", "nowhere", "hipErrorInvalidValue (1)"),
    "no-device": ("call-failed", "no-device", "hipErrorInvalidDevice (101)"),
}.items()}


class Chosen(unittest.TestCase):
    def test_launches_alone(self):
        """What else has failed is told with --api=strict; nothing where the family is not named."""
        done = corpus.check("too-wide", options=("--check=api",))
        self.assertIn("softgpu:   launch-failed        1 different, 1 time\n", done.stderr)
        for name, options in (("too-large", ("--check=api",)), ("too-large", ("--check=memory", "--api", "strict")),
                              ("too-wide", ("--check",)), ("too-wide", ("--check=all",))):
            self.assertEqual(corpus.check(name, options=options).stderr, "softgpu: 0 errors\n")

    def test_what_strict_is(self):
        done = corpus.check("too-wide", options=("--check=api", "--api", "loose"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--api (SOFTGPU_CHECK_API): "loose" is not strict', done.stderr)


corpus.main(BUGS, ("--check=api", "--api", "strict"))
