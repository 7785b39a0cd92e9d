from pathlib import Path

import pytest

from train.__main__ import read_arguments
from train.config import SCHEMA, Config, ConfigError, PPOConfig, load_config
from unoflip_env.rules import PRESETS, Rules, RulesError, load_rules

CONFIGS = Path(__file__).parents[2] / "configs"


def write(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(text)
    return path


def test_a_file_says_what_differs_from_the_defaults(tmp_path: Path) -> None:
    text = 'run = "runs/x"\nplayers = [3]\n[rules]\npreset = "casual"\nhand = 5\n[ppo]\nclip = 0.1\n[opponents]\ngreedy = 1\n'
    expected = Config(
        run=Path("runs/x"),
        players=(3,),
        rules=(PRESETS["casual"].replace(hand=5),),
        ppo=PPOConfig(clip=0.1),
        opponents={"greedy": 1.0},
    )
    assert load_config(write(tmp_path, text)) == expected


def test_the_rules_may_be_a_file_of_their_own(tmp_path: Path) -> None:
    path = CONFIGS / "rules" / "family.toml"
    config = load_config(write(tmp_path, f"rules = {str(path)!r}"))
    assert config.rules == (load_rules(path),)
    with pytest.raises(ConfigError, match=r"run\.toml: rules: .*nowhere\.toml: "):
        load_config(write(tmp_path, "rules = 'nowhere.toml'"))


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_files_of_the_kit_have_a_meaning(path: Path) -> None:
    assert isinstance(load_config(path), Config)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = 'x'", r"run\.toml: seed: Input should be a valid integer"),
        ("sed = 3", r"run\.toml: sed: Unexpected"),
        ("[ppo]\nclips = 0.1", r"run\.toml: ppo\.clips: Unexpected"),
        ("[ppo]\nclip = 0", r"run\.toml: ppo: clip=0.*expected more than 0"),
        ("num_tables = 0", r"run\.toml: num_tables=0: expected 1 or more"),
        ("[opponents]\nself = inf", r"run\.toml: opponents=.*expected weights of 0 or more"),
        ("[ppo]\nlearning_rate = inf", r"learning_rate=inf: expected more than 0"),
        ("[rules]\nhands = 3", r"run\.toml: rules: .*hands=3: 'hands' is not an option; the options are deck"),
        ("players = [2, 11]", r"num_players=11: expected 2 to 10"),
        ("[opponents]\nself = 0", r"opponents=.*expected weights of 0 or more, not all 0"),
        ('rules = ["official", "casual", "official"]', r"rules=.*one rule set at least, each once"),
        ('rules = ["official", {information = "fronts"}]', r"information=\['fronts', 'table'\]: expected the same"),
        ("network = 'gru'", r"network: Input should be 'cards' or 'mlp'"),
        ("= 3", r"run\.toml: Invalid statement \(at line 1"),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, text))


def test_a_file_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml"):
        load_config(Path("nowhere.toml"))


@pytest.mark.parametrize(
    "options",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"num_threads": 100_000_000},
        {"color_width": 10**8},
        {"num_tables": 10**17},
        {"num_steps": 10**17},
        {"test_deals": 10**17},
        {"pool_size": 10**17},
        {"players": (2, 2)},
        {"max_minutes": -1},
        {"players": ()},
        {"opponents": {}},
        {"opponents": {"self": 1.0, "greedy": -0.5}},
        {"num_tables": 0},
        {"test_deals": 1},
        {"pool_size": 0},
        {"save_minutes": -1},
        {"keep": 0},
        {"rules": ()},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused_by_name(options: dict) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(options))}=.*expected"):
        Config(**options)


def test_a_word_of_the_command_line_may_hold_a_list() -> None:
    word = 'official,stack=["draw_one","draw_five"],hand=5'
    config, _, _ = read_arguments(["--rules", word, "casual"])
    assert config.rules == (Rules(stack=("draw_one", "draw_five"), hand=5), PRESETS["casual"])


def test_too_many_players_for_the_deal_are_refused() -> None:
    with pytest.raises(RulesError, match="hand=40 with num_players=4"):
        Config(rules=(Rules(hand=40),))


def test_a_configuration_survives_json() -> None:
    config = Config(rules=(Rules(pairing="printed", hand=4), PRESETS["casual"]), opponents={"self": 1.0})
    assert SCHEMA.validate_json(SCHEMA.dump_json(config)) == config


def test_a_configuration_may_be_a_word_of_json() -> None:
    config, _, _ = read_arguments(['{"opponents": {"ppo:official-2p": 1}, "players": [2]}', "--seed", "4"])
    assert config == Config(opponents={"ppo:official-2p": 1.0}, players=(2,), seed=4)
    with pytest.raises(ConfigError, match=r"^sed: Unexpected keyword argument$"):
        read_arguments(['{"sed": 4}'])
    with pytest.raises(ConfigError, match=r"^Invalid JSON"):
        read_arguments(["{"])


def test_several_rule_sets_may_be_presets_files_and_tables(tmp_path: Path) -> None:
    path = CONFIGS / "rules" / "classic.toml"
    text = f'rules = ["casual", {str(path)!r}, {{preset = "official", hand = 5}}]\n'
    assert load_config(write(tmp_path, text)).rules == (PRESETS["casual"], PRESETS["classic"], Rules(hand=5))


def test_a_run_s_json_is_a_configuration_too(tmp_path: Path) -> None:
    config = Config(players=(3,), rules=(PRESETS["casual"],))
    (tmp_path / "config.json").write_bytes(SCHEMA.dump_json(config))
    assert load_config(tmp_path / "config.json") == config
