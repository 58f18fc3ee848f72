// read, prompt, listen and tasks: against servers in processes of their own, and over HTTP.

import { execFile } from 'node:child_process'
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { tasks } from 'mcpwire/extensions/tasks'
import { serveHttp } from 'mcpwire/node'
import { MCPServer } from 'mcpwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MAIN, mcpwire, program, startCommand } from '../../test/support/command-line.ts'

const exported = program('exported.js')

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcpwire-use-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('cli C1: mcpwire read and prompt', () => {
  it('print a resource, save it, or print it as JSON', async () => {
    const file = join(await temporaryFolder(), 'note.txt')
    const [printed, saved, json] = await Promise.all([
      mcpwire(['read', exported, 'greeting://Ada']),
      mcpwire(['read', exported, 'note://today', '--save', file]),
      mcpwire(['read', exported, 'note://today', '--json']),
    ])
    expect(printed).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' })
    expect(saved).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`Saved 9 bytes to ${file}`) })
    expect(await readFile(file, 'utf8')).toBe('Buy milk.')
    expect(JSON.parse(json.stdout)).toMatchObject({ contents: [{ uri: 'note://today', text: 'Buy milk.' }] })
  })

  it.skipIf(process.platform === 'win32')(
    'save the whole of a resource or nothing, and keep what the file is',
    async () => {
      const folder = await temporaryFolder()
      const long = `greeting://${'a'.repeat(20_000)}`
      const [file, link] = [join(folder, 'note.txt'), join(folder, 'link')]
      await writeFile(file, 'before', { mode: 0o640 })
      await symlink(file, link)
      // As on a full disk: no file can be longer than 4 KB.
      const limited = await promisify(execFile)(
        'sh',
        ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, MAIN, 'read', exported, long, '--save', file],
        { env: { ...process.env, XDG_CACHE_HOME: folder } },
      ).catch((error: { code: number; stderr: string }) => error)
      expect(limited).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the file would be larger than allowed'),
      })
      expect(await readFile(file, 'utf8')).toBe('before')
      expect(await mcpwire(['read', exported, long, '--save', link])).toMatchObject({ code: 0 })
      expect((await lstat(link)).isSymbolicLink()).toBe(true)
      expect((await stat(file)).mode & 0o777).toBe(0o640)
      expect(await readFile(file, 'utf8')).toHaveLength(20_008)
      expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([])
      const lost = await mcpwire(['read', exported, long, '--save', join(folder, 'none', 'x')])
      expect(lost.stderr).toContain('does not exist.\nCreate it.')
      expect(await mcpwire(['read', exported, 'note://today', '--save', '/dev/null'])).toMatchObject({ code: 0 })
      expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
    },
  )

  it('print the messages of a prompt', async () => {
    const { code, stdout } = await mcpwire(['prompt', exported, 'poem', 'about=rain'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'user: Write a poem about rain.\n' })
  })

  it.each([
    [['read', 'note://none'], 1, 'The server has no resource "note://none".'],
    [['read', 'note://none', '--mode', 'legacy'], 1, '--resources` to see all resources.'],
    [['read'], 2, 'The URI is missing.'],
    [['read', 'a://b', 'more'], 2, 'Unexpected argument "more".'],
    [['prompt', 'peom', 'about=x'], 1, 'The server has no prompt "peom". Did you mean "poem"?'],
    [['prompt', 'poem'], 2, 'The argument "about" is missing.'],
    [['prompt', 'poem', 'abuot=x'], 2, 'There is no argument "abuot". Did you mean "about"?'],
  ])('explain what is wrong with %j', async ([verb = '', ...rest], code, message) => {
    const result = await mcpwire([verb, exported, ...rest])
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})

/** A server whose lists change when the test says so. */
async function changingServer() {
  const server = new MCPServer('changing', { extensions: [tasks()] })
  server.resource('note://a', () => 'a')
  server.tool('first', {}, () => 'x')
  const serving = await serveHttp(server, { port: 0 })
  onTestFinished(() => serving.close())
  return { server, serving }
}

describe('cli C1: mcpwire listen', () => {
  it.each(['legacy', 'modern'])('in mode %s prints one line per change, until Ctrl-C', async (mode) => {
    const { server, serving } = await changingServer()
    const child = startCommand(['listen', serving.url, '--tools', '--json', '--mode', mode])
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    for await (const line of createInterface(child.stderr)) if (line.startsWith('Listening for')) break
    server.tool('second', {}, () => 'y')
    const { value } = await lines.next()
    expect(JSON.parse(String(value))).toMatchObject({ type: 'toolsListChanged', time: expect.any(String) })
    child.kill('SIGINT')
    const [code] = await new Promise<[number | null]>((resolve) => child.once('exit', (...exit) => resolve([exit[0]])))
    expect(code).toBe(130)
  })

  it('ends by itself after the time of --for', async () => {
    const { serving } = await changingServer()
    const { code, stdout, stderr } = await mcpwire(['listen', serving.url, '--for', '0.1'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe('Listening for tools, resources\n')
  })
})

describe('cli C1: mcpwire tasks', () => {
  it.each(['legacy', 'modern'])('in mode %s finds in a later process what call --task has started', async (mode) => {
    const { server, serving } = await changingServer()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    server.tool('report', { task: 'always' }, async () => {
      await finished
      return 'the report'
    })
    const env = { HOME: await temporaryFolder() }
    const run = (...args: string[]) => mcpwire([...args, '--mode', mode], { env })
    const started = await run('call', serving.url, 'report', '--task')
    expect(started).toMatchObject({ code: 0, stderr: '' })
    const id = started.stdout.trim()
    // Ids may begin with a hyphen, and are words all the same.
    const dashed = await run('tasks', serving.url, 'get', `-${id}`)
    expect(dashed).toMatchObject({ code: 1, stderr: expect.stringContaining(`knows no task "-${id}"`) })
    expect((await run('tasks', serving.url)).stdout).toContain(`${id}  report   working, `)
    expect(JSON.parse((await run('tasks', serving.url, 'get', id, '--json')).stdout)).toMatchObject({
      status: 'working',
    })
    const all = await mcpwire(['tasks'], { env })
    expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id}  report   ${serving.url}, in mode `) })
    expect(JSON.parse((await mcpwire(['tasks', '--json'], { env })).stdout)).toMatchObject([{ taskId: id }])
    finish()
    // Whoever has seen its end can still have its result, as often as the server has it.
    expect(await run('tasks', serving.url, 'watch', id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/completed/),
    })
    expect((await run('tasks', serving.url)).stdout).toContain(`${id}  report   completed, `)
    expect(await run('tasks', serving.url, 'get', id)).toMatchObject({ code: 0 })
    for (let times = 0; times < 2; times += 1) {
      expect(await run('tasks', serving.url, 'result', id)).toMatchObject({ code: 0, stdout: 'the report\n' })
    }
    expect(await run('tasks', serving.url, 'cancel', id)).toMatchObject({
      code: 1,
      stderr: `mcpwire: The task ${id} has ended: it is completed.\nUse tasks <target> result ${id} for its result.\n`,
    })
    const other = mode === 'legacy' ? ['modern', '2025-11-25'] : ['legacy', 'modern']
    const elsewhere = await mcpwire(['tasks', serving.url, 'result', id, '--mode', other[0] ?? ''], { env })
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`It is a task of ${serving.url}, in mode ${other[1]}.`),
    })
    // Also where the server says only that it does not know the id.
    for (const action of ['get', 'cancel']) {
      const { code, stderr } = await mcpwire(['tasks', serving.url, action, id, '--mode', other[0] ?? ''], { env })
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`in mode ${other[1]}. Use that target with --mode ${other[1]}.`),
      })
    }
    const none = await mcpwire(['tasks', serving.url, '--mode', other[0] ?? ''], { env })
    expect(none.stderr).toContain('no tasks at this server in this mode. Run mcpwire tasks to see those of all')
    await mcpwire(['call', serving.url, 'report', '--task', '--mode', other[0] ?? ''], { env })
    const both = await run('tasks', serving.url)
    expect(both.stdout).toContain(`${id}  report   completed, `)
    expect(both.stderr).toBe(
      `1 more in mode ${other[0] === 'legacy' ? '2025-11-25' : 'modern'}. ${both.stderr.slice(both.stderr.indexOf('Use'))}`,
    )
  })

  it('says of a server that it has no tasks', async () => {
    expect(await mcpwire(['tasks', exported, 'get', 'some-id'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^(?:\[stderr\] .*\n)*mcpwire: The server has no tasks\.\nUse mcpwire list to see what the server offers\.\n$/,
      ),
    })
  })

  it('call --task prints no id of a task that has ended with its server', async () => {
    const env = { HOME: await temporaryFolder() }
    const { code, stdout, stderr } = await mcpwire(['call', program('long-tasks.js'), 'report', '--task'], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/The task ended with its server, .*\nRun mcpwire run \S+long-tasks\.js --http, then/)
    expect(await mcpwire(['tasks'], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('This machine has no tasks.'),
    })
  })

  it('cancels a task, and watch sees its end', async () => {
    const { server, serving } = await changingServer()
    server.tool(
      'endless',
      { task: 'always' },
      (_args, ctx) =>
        new Promise((_, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
        }),
    )
    const env = { HOME: await temporaryFolder() }
    const id = (await mcpwire(['call', serving.url, 'endless', '--task'], { env })).stdout.trim()
    const watching = mcpwire(['tasks', serving.url, 'watch', id], { env })
    expect(await mcpwire(['tasks', serving.url, 'cancel', id], { env })).toMatchObject({ code: 0 })
    const { code, stdout } = await watching
    expect(code).toBe(1)
    expect(stdout).toMatch(/cancelled/)
  })

  it.each([
    [['gte', 'x'], 2, 'Unknown action "gte". Did you mean "get"?'],
    [['get'], 2, 'The id of the task is missing.'],
    [
      ['get', 'nope'],
      1,
      'The server knows no task "nope" of yours. It has expired, or was never there.\nStart one with',
    ],
    [['cancel', 'nope'], 1, 'The server knows no task "nope" of yours.'],
    [['result', 'nope'], 1, 'This machine knows no task "nope" of this server.'],
  ])('explains what is wrong with %j', async (args, code, message) => {
    const { serving } = await changingServer()
    const result = await mcpwire(['tasks', serving.url, ...args], { env: { HOME: await temporaryFolder() } })
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})
