#!/usr/bin/env python3
"""What texts become in a form is read by Python's own readers of the form, and is the text again.

The texts have all bytes, one by one and two by two with those that mean something, and random bytes.
"""
import codecs
import csv
import html
import io
import itertools
import json
import random
import re
import shlex
import subprocess
import sys
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)
FORMS = ["json", "xml", "html", "markdown", "csv", "shell", "terminal", "word"]  # ORDER: base_escape_t
SPECIAL = b"\"'\\&<>|`*_[]# \t\n\r-"

codecs.register_error("each", lambda error: ("\ufffd", error.start + 1))  # a U+FFFD for each byte


def texts():
    result = [b"", "größer 水 🜁".encode(), b"\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", b"\xed\xa0\x80", b"\xf0\x9f\x98"]
    result += [bytes([one]) for one in range(1, 256)]
    result += [bytes(pair) for pair in itertools.product(SPECIAL, SPECIAL)]
    source = random.Random(2026)
    result += [bytes(source.choices(range(1, 256), k=source.randrange(1, 60))) for _ in range(400)]
    return result + [bytes(source.choices(SPECIAL + b"ab", k=source.randrange(1, 60))) for _ in range(400)]


def unicode(text):
    """As it is read where bytes that are no UTF-8, and what XML cannot have, become U+FFFD."""
    return re.sub("[\ufffe\uffff]", lambda _: 3 * "\ufffd", text.decode(errors="each"))


def visible(text):
    return re.sub(rb"[\0-\x1f\x7f]", b"?", text)


class Escapes(unittest.TestCase):
    def pairs(self, form):
        given = texts()
        done = subprocess.run([PROGRAM, str(FORMS.index(form))], input=b"".join(t + b"\0" for t in given),
                              stdout=subprocess.PIPE, check=True, timeout=60)
        written = done.stdout.split(b"\0")[:-1]
        self.assertEqual(len(written), len(given))
        return zip(given, written)

    def test_json(self):
        for text, written in self.pairs("json"):
            self.assertEqual(json.loads(b'"' + written + b'"'), unicode(text), text)

    def test_xml(self):
        for text, written in self.pairs("xml"):
            element = xml.etree.ElementTree.fromstring(b'<a b="' + written + b'">' + written + b"</a>")
            expected = re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\x7f]", "\ufffd", unicode(text))
            self.assertEqual((element.get("b"), element.text or ""), (expected, expected), text)

    def test_html(self):
        for text, written in self.pairs("html"):
            self.assertEqual(html.unescape(written.decode("latin-1")), text.decode("latin-1"))
            self.assertIsNone(re.search(rb"[<>]|&(?!lt;|gt;|amp;)", written), text)

    def test_markdown(self):
        for text, written in self.pairs("markdown"):
            plain = re.sub(rb"\\([\\|`*_\[\]#])|&lt;", lambda at: at[1] or b"<", written)
            self.assertEqual(plain, visible(text))
            self.assertIsNone(re.search(rb"(?<!\\)(\\\\)*[|`*_\[\]#]|<", written), text)

    def test_csv(self):
        for text, written in self.pairs("csv"):
            rows = list(csv.reader(io.StringIO(f'1,"{written.decode("latin-1")}",2\n', newline="")))
            self.assertEqual(rows, [["1", text.decode("latin-1"), "2"]])

    def test_shell(self):
        for text, written in self.pairs("shell"):
            self.assertEqual(shlex.split(f"'{written.decode('latin-1')}'"), [text.decode("latin-1")])

    def test_word(self):
        for text, written in self.pairs("word"):
            expected = (b"./" if text.startswith(b"-") else b"") + text
            self.assertEqual(shlex.split(written.decode("latin-1")), [expected.decode("latin-1")])
            self.assertTrue(re.fullmatch(rb"[\w./%+,@^-]+", text, re.ASCII) is None or b"'" not in written
                            or text.startswith(b"-"), text)

    def test_words_of_a_shell(self):
        pairs = list(self.pairs("word"))
        command = b"printf '%s\\0' " + b" ".join(written for _, written in pairs)
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, check=True, timeout=60,
                              env={"LC_ALL": "C"})
        self.assertEqual(done.stdout.split(b"\0")[:-1],
                         [(b"./" if text.startswith(b"-") else b"") + text for text, _ in pairs])

    def test_terminal(self):
        for text, written in self.pairs("terminal"):
            self.assertEqual(written, visible(text))


if __name__ == "__main__":
    unittest.main()
