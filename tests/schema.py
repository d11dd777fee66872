"""JSON Schema, as much of it as the schemas of the documentation use."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int,
         "null": type(None)}


def check(value, schema, whole, where="$"):
    """What there is of JSON Schema in the file; a word that is not known is an error."""
    for word, wants in schema.items():
        if word in ("$schema", "title", "description", "$defs", "properties"):
            continue
        if word == "$ref":
            check(value, whole["$defs"][wants.rpartition("/")[2]], whole, where)
        elif word == "type":
            types = [TYPES[t] for t in ([wants] if isinstance(wants, str) else wants)]
            assert any(isinstance(value, t) for t in types) and (bool in types or not isinstance(value, bool)), where
        elif word == "const":
            assert value == wants, where
        elif word == "enum":
            assert value in wants, (where, value)
        elif word == "required":
            assert set(wants) <= set(value), (where, set(wants) - set(value))
        elif word == "additionalProperties":
            assert wants is False and set(value) <= set(schema["properties"]), (where, set(value))
        elif word == "items":
            for i, item in enumerate(value):
                check(item, wants, whole, f"{where}[{i}]")
        elif word == "minimum":
            assert value >= wants, where
        elif word == "maximum":
            assert value <= wants, where
        else:
            raise AssertionError(f"{where}: the test does not know '{word}'")
    for key, inner in schema.get("properties", {}).items():
        if key in value:
            check(value[key], inner, whole, f"{where}.{key}")
