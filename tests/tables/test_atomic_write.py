"""Atomic writes: permissions, links and pipes."""

import os
import resource
import stat
import threading

import pytest

from aucmax.tables.atomic_write import atomic_write


def test_permissions_and_links_of_a_replaced_file_are_kept(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    (tmp_path / "link").symlink_to("old")
    with atomic_write(tmp_path / "link") as file:
        file.write("new")
        assert (tmp_path / "old").read_text() == "old"
    assert (tmp_path / "link").is_symlink() and (tmp_path / "old").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 2


def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_text()))
    reader.start()
    with atomic_write(tmp_path / "pipe") as file:
        file.write("new")
    reader.join()
    assert found == ["new"] and (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("length", [244, 255])
def test_the_longest_names_are_possible(tmp_path, length):
    path = tmp_path / ("x" * length)
    with atomic_write(path) as file:
        file.write("new")
    assert path.read_text() == "new" and len(list(tmp_path.iterdir())) == 1


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=r"symbolic links.*a'"), atomic_write(tmp_path / "a"):
        pass
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_is_reported_with_the_file(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"File too large: .*model\.json"), atomic_write(path) as file:
            file.write("x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_a_folder_is_named(tmp_path):
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}'$"), atomic_write(tmp_path):
        pass
