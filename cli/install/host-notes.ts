// What a user does in a host after its config changed, and where the host shows what went wrong.

export interface HostNote {
  /** What to do now. */
  readonly next: string
  /** Where to look if the server does not appear. */
  readonly log: string
}

const CLAUDE_LOGS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '~/Library/Logs/Claude/mcp-server-<name>.log',
  win32: '%APPDATA%\\Claude\\logs\\mcp-server-<name>.log',
}

const NOTES: Readonly<Record<string, HostNote>> = {
  antigravity: {
    next: 'In Antigravity, open the MCP servers of the agent panel and press Refresh.',
    log: 'the MCP servers of the agent panel',
  },
  'claude-code': { next: 'Start a new Claude Code session. Run /mcp to see the server.', log: 'claude --debug' },
  'claude-desktop': {
    next: 'Quit Claude Desktop completely and start it again.',
    log: CLAUDE_LOGS[process.platform] ?? '~/.config/Claude/logs/mcp-server-<name>.log',
  },
  cline: { next: 'In Cline, open MCP Servers and press Restart.', log: 'MCP Servers in the Cline panel' },
  'cline-cli': { next: 'Start a new Cline session.', log: 'the output of Cline' },
  codex: { next: 'Start a new Codex session. Run /mcp to see the server.', log: '~/.codex/log' },
  cursor: {
    next: 'In Cursor, open Settings, MCP, and turn the server on.',
    log: 'the Output panel of Cursor, "MCP Logs"',
  },
  fx: { next: 'Start a new fx session.', log: 'the output of fx' },
  'gemini-cli': { next: 'Start a new Gemini CLI session. Run /mcp to see the server.', log: 'gemini --debug' },
  'github-copilot-cli': {
    next: 'Start a new Copilot session. Run /mcp to see the server.',
    log: '~/.copilot/logs',
  },
  goose: { next: 'Start a new Goose session.', log: '~/.local/state/goose/logs' },
  'grok-build': { next: 'Start a new Grok session.', log: 'the output of Grok' },
  'kilo-code': { next: 'Reload the window, or start a new Kilo Code session.', log: 'the MCP settings of Kilo Code' },
  'kimi-code': { next: 'Start a new Kimi Code session.', log: 'the output of Kimi Code' },
  'kiro-cli': { next: 'Start a new Kiro session. Run /mcp to see the server.', log: 'the output of Kiro' },
  mastracode: { next: 'Start a new Mastra Code session.', log: 'the output of Mastra Code' },
  mcporter: { next: 'Run mcporter list to see the server.', log: 'the output of mcporter' },
  opencode: { next: 'Start a new OpenCode session.', log: '~/.local/share/opencode/log' },
  pi: { next: 'Start a new Pi session.', log: 'the output of Pi' },
  vscode: {
    next: 'In VS Code, run "MCP: List Servers", start the server and approve it.',
    log: '"MCP: List Servers", the server, "Show Output"',
  },
  windsurf: { next: 'In Windsurf, open the MCP list of Cascade and press Refresh.', log: 'the MCP list of Cascade' },
  zed: {
    next: 'In Zed, open the settings of the agent panel and check that the server is on.',
    log: '"zed: open log"',
  },
}

/** `undefined` for a file that belongs to no host we know. */
export function noteOf(host: string): HostNote | undefined {
  return Object.hasOwn(NOTES, host) ? NOTES[host] : undefined
}
