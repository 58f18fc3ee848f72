// mcpwire completion: what may come next, and the scripts in the shells that are installed.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAIN, mcpwire } from '../../test/support/command-line.ts'
import { completeWords } from '../completion/complete-words.ts'
import { SHELLS } from '../completion/scripts.ts'
import type { Offers } from '../files/offers-cache.ts'
import { loadVerbs } from '../help/table.ts'
import { createExampleProject } from './example-project.ts'

const VERBS = await loadVerbs()

const sources = {
  offers: (target: string): Offers =>
    target === 'server.ts'
      ? {
          tools: { add: { a: [], b: [], unit: ['m', 'km'] }, order: {} },
          prompts: { poem: { about: [] } },
          uris: ['note://today', 'note://all'],
        }
      : { tools: {}, prompts: {}, uris: [] },
  tasks: async () => ['7f3a'],
  servers: async () => ['github', 'shop'],
  hosts: async () => ['cursor', 'vscode'],
}
const complete = (before: string[], current: string) => completeWords(before, current, VERBS, sources)

describe('words that may come next', () => {
  it.each([
    [[], 'ca', ['call']],
    [['--json'], 'li', ['list', 'listen']],
    [['call'], '@g', ['@github']],
    [['call', 'server.ts'], '', ['add', 'order']],
    [['call', '--json', '--timeout', '5', 'server.ts'], 'o', ['order']],
    [['call', 'other.ts'], '', []],
    [['call', 'server.ts', 'add'], '', ['a=', 'b=', 'unit=']],
    [['call', 'server.ts', 'add', 'a=1', 'b:=2'], '', ['unit=']],
    [['call', 'server.ts', 'add', 'a=1'], 'unit=', ['unit=m', 'unit=km']],
    [['call', 'server.ts', 'add', '--json', 'a=1'], 'unit=k', ['unit=km']],
    [['call', 'server.ts', 'nothing'], '', []],
    [['prompt', 'server.ts'], '', ['poem']],
    [['prompt', 'server.ts', 'poem'], '', ['about=']],
    [['read', 'server.ts'], 'note://t', ['note://today']],
    [['listen', 'server.ts', '--uri'], 'note://a', ['note://all']],
    [['tasks', 'x.ts', 'result'], '', ['7f3a']],
    [['run', '-t'], '', ['stdio', 'http']],
    [['run'], '--tr', ['--transport']],
    [['install', 'x.ts', '--host'], 'c', ['cursor']],
    [['completion'], 'z', ['zsh']],
    [['tasks', 'x.ts'], '', ['get', 'result', 'watch', 'cancel']],
    [['version'], '', []],
  ])('after %j, %j: %j', async (before, current, words) => {
    expect((await complete(before, current)).words).toEqual(words)
  })

  it.each([
    [['run'], 'se', true],
    [['call'], 'se', true],
    [['call', 'x.ts', '--env-file'], '', true],
    [['list', '--'], 'no', true],
    [['call', 'x.ts', 'add'], 'a=', false],
    [['call', 'x.ts', 'add'], 'a=@', true],
    [['call', 'x.ts', '--timeout'], '', false],
  ])('files after %j, %j: %s', async (before, current, takesFiles) => {
    expect(await complete(before, current)).toMatchObject({ takesFiles })
  })

  it('offer every shown option of every verb, and no hidden one', async () => {
    for (const verb of VERBS) {
      const { words } = await complete([verb.name], '--')
      expect(words).toContain('--json')
      expect(words).not.toContain('--current')
      expect(words).not.toContain('--workers')
    }
  })
})

const isInstalled = (shell: string) => spawnSync(shell, ['--version'], { stdio: 'ignore' }).error === undefined

describe('cli C8: completion scripts', () => {
  it.each(SHELLS)('%s: is printed', async (shell) => {
    const { code, stdout } = await mcpwire(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toContain('mcpwire completion')
  })

  it('refuses a shell that it does not know', async () => {
    expect(await mcpwire(['completion', 'fisch'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown shell "fisch". Did you mean "fish"?'),
    })
  })

  /** A folder where the command is found by its name, as users have it, and has listed a server. */
  async function createShellProject() {
    const project = createExampleProject()
    const { folder, env } = project
    const command = join(folder, 'mcpwire')
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
    chmodSync(command, 0o755)
    await project.run('list', 'server.js')
    const run = (shell: string, ...args: string[]) => {
      const PATH = `${folder}:${process.env['PATH']}`
      return execFileSync(shell, args, { cwd: folder, env: { ...env, PATH }, encoding: 'utf8' }).trim()
    }
    return { run, [Symbol.dispose]: () => project[Symbol.dispose]() }
  }

  it.skipIf(!isInstalled('bash'))(
    'bash: completes verbs, options, tools of the last list, and names with @',
    async () => {
      using project = await createShellProject()
      const script = `source <(mcpwire completion bash); COMP_LINE="$1"; COMP_POINT=\${#1}; _mcpwire; printf '%s\\n' "\${COMPREPLY[@]}"`
      const typed = (line: string) => project.run('bash', '-c', script, 'bash', line)
      expect(typed('mcpwire ca')).toBe('call')
      expect(typed('mcpwire call server.js ')).toBe('add\norder\npicture')
      expect(typed('mcpwire call server.js or')).toBe('order')
      expect(typed('mcpwire call server.js add a=1 ')).toBe('b=')
      expect(typed('mcpwire read server.js greet')).toBe('greeting://')
      expect(typed('mcpwire run server.js --tran')).toBe('--transport')
      // Readline has its own idea of a word, which begins after the sign.
      expect(typed('mcpwire call @sh')).toBe('shop')
    },
  )

  it.skipIf(!isInstalled('zsh'))('zsh: completes verbs, options and tools of the last list', async () => {
    using project = await createShellProject()
    // What the line editor would set, and compadd as it would be called.
    const script = [
      'autoload -U compinit; compinit -u -D; source <(mcpwire completion zsh)',
      'compadd() { while [[ $1 != -- ]] do shift; done; shift; print -l -- "$@" }; _files() { print files }',
      'words=("$@"); CURRENT=$#; _mcpwire',
    ].join('\n')
    const typed = (...words: string[]) => project.run('zsh', '-fc', script, 'zsh', ...words)
    expect(typed('mcpwire', 'ca')).toBe('call')
    expect(typed('mcpwire', 'call', 'server.js', '')).toBe('add\norder\npicture')
    expect(typed('mcpwire', 'run', 'server.js', '--tran')).toBe('--transport')
    expect(typed('mcpwire', 'call', 'server.js', 'add', 'a=1', '')).toBe('b=')
    expect(typed('mcpwire', 'run', '')).toContain('files')
  })

  it.skipIf(!isInstalled('fish'))('fish: completes verbs, options and tools of the last list', async () => {
    using project = await createShellProject()
    const script = 'mcpwire completion fish | source; complete -C "$argv[1]"'
    const typed = (line: string) => project.run('fish', '--no-config', '-c', script, line)
    expect(typed('mcpwire ca')).toBe('call')
    expect(typed('mcpwire call server.js ').split('\n')).toEqual(expect.arrayContaining(['add', 'order', 'picture']))
    expect(typed('mcpwire run server.js --tran')).toBe('--transport')
  })

  it.skipIf(!isInstalled('pwsh'))('powershell: the script loads', async () => {
    const { stdout } = await mcpwire(['completion', 'powershell'])
    execFileSync('pwsh', ['-NoProfile', '-Command', stdout])
  })
})
