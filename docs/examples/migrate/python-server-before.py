from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("notes")


@server.tool(description="Adds a note")
async def add_note(id: str, text: str, ctx: Context) -> str:
    await ctx.report_progress(1, 1)
    return f"Added {id}: {text}"


@server.resource("notes://{id}", mime_type="text/plain")
def note(id: str) -> str:
    return f"Note {id}"


@server.prompt()
def tidy(style: str) -> str:
    return f"Tidy my notes: {style}"


server.run()
