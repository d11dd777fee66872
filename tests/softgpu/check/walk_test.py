"""That walk.py's one walk for all removals finds what a walk for each finds: over the same waves with s_nop 0 in the place of what
is left out. The waves are made here: two of random instructions that load, store, wait, meet and compute, twice each."""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import walk

ISA = "gfx90a"
START = "exec=ffffffffffffffff s0=00001000 s1=00000001 v0=00000000+4*lane v1=000000fc-4*lane v6=00000000+4*lane v7=00000002 v10=00001000+4*lane v11=00000002"
SOME = ("global_load_dword v2, v[6:7], off", "ds_read_b32 v3, v0", "ds_write_b32 v0, v4", "ds_write_b32 v1, v5", "s_load_dword s4, s[0:1], 0x0",
        "global_store_dword v[6:7], v3, off", "flat_load_dword v4, v[6:7]", "ds_read2_b32 v[8:9], v1 offset1:1", "ds_add_u32 v0, v2",
        "v_add_u32_e32 v5, v2, v3", "v_add_u32_e32 v5, s4, v4", "v_mov_b32_e32 v2, v9", "v_readlane_b32 s8, v8, s9", "v_cmp_lt_u32_e64 s[8:9], v0, v8",
        "v_mfma_f32_4x4x1f32 a[0:3], v2, v3, a[0:3]", "v_accvgpr_read_b32 v3, a0", "global_store_dword v[6:7], v5, off",
        "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt lgkmcnt(1)", "s_waitcnt vmcnt(1)",
        "s_nop 1", "s_nop 3", "s_barrier")
WAVES = (0, 1)


def executed(seed):
    """A program, and in which order two waves execute its instructions twice: (texts, [(wave, number in the program)])."""
    choose = random.Random(seed)
    texts = [choose.choice(SOME) for _ in range(60)] + ["s_barrier"]
    numbers = [n for _ in range(2) for n in range(len(texts))]
    at, order = [0, 0], []
    while any(at[w] < len(numbers) for w in WAVES):
        held = [at[w] == len(numbers) or texts[numbers[at[w]]] == "s_barrier" for w in WAVES]
        if all(held):  # both are at the same barrier
            order += [(w, numbers[at[w]]) for w in WAVES]
            at = [n + 1 for n in at]
            continue
        wave = choose.choice([w for w in WAVES if not held[w]])
        order.append((wave, numbers[at[wave]]))
        at[wave] += 1
    return texts, order


def steps(texts, order):
    lines = [f"k #0 group 0,0,0 wave {w} starts ; {START}" for w in WAVES]
    lines += [f"k #0 group 0,0,0 wave {w} {n:x}: {texts[n]}" for w, n in order]
    return next(iter(walk.read_trace(lines).values()))


def along(made):
    found = walk.Registers(ISA)
    for wave in WAVES:
        found.follow([s for s in made if s.wave[1] == wave])
    return found


class OneWalk(unittest.TestCase):
    def test_is_as_good_as_one_each(self):
        harmful = seen = unseen = 0
        for seed in range(3):
            texts, order = executed(seed)
            made = steps(texts, order)
            all_of, in_memory = along(made), walk.memory_walk(made)
            places = [n for n, text in enumerate(texts) if text.startswith(walk.KINDS)]
            self.assertEqual(sorted(all_of.without), places)
            for n in places:
                changed = [*texts[:n], "s_nop 0", *texts[n + 1:]]
                other = steps(changed, order)
                want = along(other).kept
                with self.subTest(seed=seed, place=n, text=texts[n]):
                    self.assertEqual(all_of.kept | all_of.without[n], all_of.kept | want)
                    harmful += not want <= all_of.kept
                    if n in all_of.seen:
                        seen += texts[n] != "s_barrier"
                    else:
                        unseen += 1
                        self.assertEqual(walk.memory_walk(other), in_memory)
        self.assertTrue(min(harmful, seen, unseen) > 5, (harmful, seen, unseen))

    def test_waited(self):
        texts = ["s_waitcnt vmcnt(0)", "global_load_dword v2, v[6:7], off", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v3, v2"]
        found = along(steps(texts, [(0, n) for n in range(len(texts))] + [(1, 0)]))
        self.assertEqual(found.waited, {3})
        self.assertEqual(found.kept, set())
        self.assertEqual(found.without, {0: set(), 2: set(), 3: {("wait", 1, 4)}})

    def test_counters_are_full(self):
        write, read = "ds_write_b32 v0, v4", "v_mov_b32_e32 v5, v3"
        for writes, pairs in ((14, {("wait", 0, 15)}), (15, set())):
            texts = ["ds_read_b32 v3, v0", *[write] * writes, read]
            with self.subTest(writes=writes):
                self.assertEqual(along(steps(texts, [(0, n) for n in range(len(texts))])).kept, pairs)
        loads = ["global_load_dword v2, v[6:7], off", *["global_store_dword v[6:7], v5, off"] * 62]
        for more, pairs in (([], {("wait", 0, 63)}), (["global_store_dword v[6:7], v5, off"], set())):
            texts = [*loads, *more, "v_mov_b32_e32 v5, v2"]
            with self.subTest(more=more):
                self.assertEqual(along(steps(texts, [(0, n) for n in range(len(texts))])).kept, pairs)

    def test_wait_states_reach_back(self):
        moves = [f"v_mov_b32_e32 v{n}, 0" for n in range(50, 54)]
        texts = ["v_mfma_f32_32x32x1f32 v[12:43], v2, v3, v[12:43]", "s_nop 15", *moves, "v_mov_b32_e32 v3, v12"]
        found = along(steps(texts, [(0, n) for n in range(len(texts))]))
        self.assertEqual(found.kept, set())
        self.assertEqual(found.without, {1: {("nop", 0, 6)}})

    def test_stores_behind_an_atomic_access(self):
        texts = ["global_store_dword v[6:7], v3, off", "s_waitcnt vmcnt(0)", "global_atomic_add v4, v[10:11], v5, off glc",
                 "s_waitcnt vmcnt(0)", "global_load_dword v2, v[6:7], off"]
        order = [(0, n) for n in (0, 1, 2)] + [(1, n) for n in (2, 3, 4)]
        made = steps(texts, order)
        self.assertEqual(along(made).seen, {1})
        self.assertEqual(walk.memory_walk(made), set())
        self.assertEqual(walk.memory_walk(made, 1), {("global", 0, 4)})


if __name__ == "__main__":
    unittest.main()
