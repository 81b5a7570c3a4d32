"""Tiny chat models, made here from random numbers, that load and answer in milliseconds."""

import gguf
import numpy as np

HIDDEN, LAYERS, VOCABULARY = 32, 2, 300
INNER, STATE, RANK, KERNEL = 64, 8, 4, 4
HEADS = 2


def transformer(path):
    """One whose memory is kept token by token."""
    writer = _writer(path, "llama")
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    square = (HIDDEN, HIDDEN)
    parts = {f"attn_{part}.weight": square for part in ("q", "k", "v", "output")}
    parts |= {"ffn_gate.weight": (INNER, HIDDEN), "ffn_up.weight": (INNER, HIDDEN)}
    parts |= {"ffn_down.weight": (HIDDEN, INNER), "ffn_norm.weight": (HIDDEN,)}
    return _finished(writer, path, parts)


def recurrent(path):
    """One whose memory is a single sum of all it read, so that its end cannot be forgotten."""
    writer = _writer(path, "mamba")
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_ssm_conv_kernel(KERNEL)
    writer.add_ssm_inner_size(INNER)
    writer.add_ssm_state_size(STATE)
    writer.add_ssm_time_step_rank(RANK)
    parts = {
        "ssm_in.weight": (2 * INNER, HIDDEN),
        "ssm_conv1d.weight": (INNER, KERNEL),
        "ssm_conv1d.bias": (INNER,),
        "ssm_x.weight": (RANK + 2 * STATE, INNER),
        "ssm_dt.weight": (INNER, RANK),
        "ssm_dt.bias": (INNER,),
        "ssm_a": (INNER, STATE),
        "ssm_d": (INNER,),
        "ssm_out.weight": (HIDDEN, INNER),
    }
    return _finished(writer, path, parts)


def _writer(path, architecture):
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(4096)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_layer_norm_rms_eps(1e-5)
    _add_vocabulary(writer)
    return writer


def _add_vocabulary(writer):
    """A token for each byte."""
    special = ["<unk>", "<s>", "</s>"]
    letters = [f"<0x{byte:02X}>" for byte in range(256)]
    spare = [f"spare{number}" for number in range(VOCABULARY - 259)]
    kinds = gguf.TokenType
    writer.add_tokenizer_model("llama")
    writer.add_token_list(special + letters + spare)
    writer.add_token_scores([0.0] * VOCABULARY)
    writer.add_token_types(
        [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL]
        + [kinds.BYTE] * 256
        + [kinds.UNUSED] * len(spare)
    )
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)


def _finished(writer, path, parts):
    numbers = np.random.default_rng(0)
    shapes = {"token_embd.weight": (VOCABULARY, HIDDEN), "output_norm.weight": (HIDDEN,)}
    for layer in range(LAYERS):
        shapes |= {f"blk.{layer}.attn_norm.weight": (HIDDEN,)}
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in parts.items()}
    for name, shape in shapes.items():
        values = numbers.normal(0, 0.5, shape).astype(np.float32)
        writer.add_tensor(name, -np.abs(values) if name.endswith("ssm_a") else values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
