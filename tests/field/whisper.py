#!/usr/bin/env python3
# field: forky
# field-waves32: forky
# field-timeout: 3600
"""whisper.cpp with a tiny random model: what it hears on the GPU is what it hears on the CPU, bare, traced and
counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field
import whisper_model

f = field.Field()
SECONDS = 3
LEAST = 20  # words

if f.needs({"whisper-cli": "whisper.cpp"}, field.GGML_HIP):
    model, heard = f.path("tiny.bin"), f.path("sound.wav")
    whisper_model.tiny_whisper(model)
    whisper_model.sound(heard, SECONDS)
    command = ["whisper-cli", "-m", model, "-f", heard, "-nf", "-bs", "1", "-bo", "1", "-nt", "-np", "-ac", "256"]
    cpu = f.soft([*command, "-ng"])
    text = cpu.out.split()
    f.case("CPU", cpu.why() or ("" if len(text) >= LEAST and len(set(text)) >= LEAST // 2 else f"says {cpu.out[:200]!r}"))

    def wrong(run):
        return run.why() or ("" if run.out == cpu.out else f"says {run.out[:200]!r}, not {cpu.out[:200]!r}")

    bare = f.soft(command, "--stats")
    executed = field.executed(bare.err)
    f.case("bare", wrong(bare) or ("" if executed else "no kernel ran"), bare.seconds)
    trace = f.traced("trace", command)
    f.case("trace", wrong(trace.run) or trace.losses() or
           field.differences({k: n for k, (n, _) in executed.items()}, trace.dispatches()), trace.run.seconds)
    count = f.counted("counters", command)
    f.case("counters", wrong(count.run) or count.losses() or
           field.miscounted(bare.err, count.counters()["SQ_WAVES"]), count.run.seconds)
f.finish()
