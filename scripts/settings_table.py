"""Tables of options of the source, read as data: src/trace/settings.def, src/softgpu/profile/options.def."""
import re

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'.\'|[(){},]|[^\s"(){},\']+')
SETTINGS = {"OPTION": "id option form group help", "VARIABLE": "id variable form help",
            "RULE": "relation options others reason"}
SOFTGPU = {"OPTION": "id letter option argument variable help", "CHECK": "id letter option argument variable help",
           "VARIABLE": "id variable argument help"}


def call(tokens):
    """The arguments of a macro's call, up to its closing parenthesis; adjacent strings are one."""
    out, text, depth = [], [], 0
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if token in (",", ")") and not depth:
            strings = [t for t in text if t.startswith('"')]
            words = " ".join(t for t in text if not t.startswith('"'))
            out.append((words, "".join(t[1:-1] for t in strings) if strings else None))
            if token == ")":
                return out
            text = []
        elif token == "," and depth:
            text.append('", "')
        else:
            text.append(token)
    raise ValueError("a row has no end")


def rows(path, columns):
    """One dictionary for each row: its macro, the columns by place, and those that are given by name."""
    with open(path, encoding="utf-8") as f:
        source = re.sub(r"/\*.*?\*/|^#.*?$", "", f.read(), flags=re.S | re.M)
    tokens, found = iter(TOKEN.findall(source)), []
    for macro in tokens:
        next(tokens)
        names = columns[macro].split()
        arguments = call(tokens)
        row = {name: words if text is None else text for name, (words, text) in zip(names, arguments)}
        for words, text in arguments[len(names):]:
            name, _, word = words.partition("=")
            row[name.strip(" .")] = word.strip() if text is None else text
        found.append({"macro": macro, **row})
    return found


def words(path):
    """The macros that stand for texts in the rows: headings, and FORMATS of a build that has them all."""
    found = {}
    with open(path, encoding="utf-8") as f:
        for name, text in re.findall(r'^#define (\w+) +"(.*)"$', f.read(), re.M):
            found.setdefault(name, text)
    return found
