"""Every tool that a model can call about the files of its conversation."""

from __future__ import annotations

from typing import Final

from webapp.documents.tools.get_chunks import GetChunks
from webapp.documents.tools.list_attachments import ListAttachments
from webapp.documents.tools.retrieve import Retrieve
from webapp.documents.tools.tool import Tool

TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool for tool in (ListAttachments(), Retrieve(), GetChunks())
}
