// Tokens in files: private, whole, and shared by processes that refresh them one at a time.
import { spawn } from 'node:child_process'
import { chmod, chown, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { fileTokenStore } from 'mcpwire/node'
import { describe, expect, it } from 'vitest'
import { createFetchPoster } from '../../../../src/http/fetch-poster.ts'
import { startNode } from '../../../support/child.ts'
import { serveScriptedOAuth } from '../../../support/scripted-oauth.ts'
import { browsingProvider } from '../../auth/client/login-support.ts'
import { createFolder } from './temporary-folder.ts'

const PROCESSES = 8
const CALLS_PER_PROCESS = 20
const CALLS_PER_TOKEN = 4

describe('fileTokenStore', () => {
  it('gives back what was stored, to another store at the same place too', async () => {
    await using folder = await createFolder()
    const store = fileTokenStore({ directory: folder.path })
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', { x: 1 })
    await store.set('b', { x: 2 })
    expect(await fileTokenStore({ directory: folder.path }).get('a')).toEqual({ x: 1 })
    await store.delete('a')
    await store.delete('a')
    expect([await store.get('a'), await store.get('b')]).toEqual([undefined, { x: 2 }])
  })

  it.runIf(process.platform !== 'win32')('C-AUTH-21 keeps everybody else out', async () => {
    await using folder = await createFolder()
    const directory = join(folder.path, 'deep', 'tokens')
    await fileTokenStore({ directory }).set('a', { secret: 1 })
    const [file] = await readdir(directory)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect((await stat(join(directory, file!))).mode & 0o777).toBe(0o600)
  })

  it.runIf(process.platform !== 'win32')('mends a folder that others can write to', async () => {
    await using folder = await createFolder()
    const store = fileTokenStore({ directory: folder.path })
    const mode = async () => (await stat(folder.path)).mode & 0o777
    for (const use of [() => store.set('a', { x: 1 }), () => store.get('a'), () => store.lock?.('a', async () => {})]) {
      await chmod(folder.path, 0o777)
      await use()
      expect(await mode()).toBe(0o700)
    }
    expect(await store.get('a')).toEqual({ x: 1 })
    // What others can only read is left as it is: the files are private by themselves.
    await chmod(folder.path, 0o755)
    await store.get('a')
    expect(await mode()).toBe(0o755)
  })

  it.runIf(process.platform !== 'win32')('rejects a shared folder such as /tmp', async () => {
    await using folder = await createFolder()
    await chmod(folder.path, 0o1777)
    const store = fileTokenStore({ directory: folder.path })
    await expect(store.set('a', { x: 1 })).rejects.toThrow(`The folder ${folder.path} is shared with other users.`)
    await expect(store.get('a')).rejects.toThrow('is shared')
    expect((await stat(folder.path)).mode & 0o1777).toBe(0o1777)
    expect(await readdir(folder.path)).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)(
    'refuses a folder of another user, and their files in a folder of ours',
    async () => {
      await using folder = await createFolder()
      const store = fileTokenStore({ directory: folder.path })
      await store.set('a', { x: 1 })
      const [file = ''] = await readdir(folder.path)
      await chown(join(folder.path, file), 12_345, 12_345)
      expect(await store.get('a')).toBeUndefined()
      await chown(folder.path, 12_345, 12_345)
      await expect(store.get('a')).rejects.toThrow(`The folder ${folder.path} belongs to another user`)
      await expect(store.set('a', { x: 1 })).rejects.toThrow('belongs to another user')
      await chown(folder.path, 0, 0)
    },
  )

  it('F184 a damaged file counts as missing, and no other file is left behind', async () => {
    await using folder = await createFolder()
    const store = fileTokenStore({ directory: folder.path })
    await store.set('a', { x: 1 })
    const [file] = await readdir(folder.path)
    await writeFile(join(folder.path, file!), '{"half":')
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', { x: 2 })
    expect(await readdir(folder.path)).toEqual([file])
  })

  it('a reader sees the old value or the new one while it is replaced', async () => {
    await using folder = await createFolder()
    const store = fileTokenStore({ directory: folder.path })
    await store.set('a', { text: 'x'.repeat(100_000) })
    const writes = Array.from({ length: 20 }, (_, count) => store.set('a', { text: `${count}`.repeat(100_000) }))
    const reads = Array.from({ length: 20 }, async () => expect(await store.get('a')).toHaveProperty('text'))
    await Promise.all([...writes, ...reads])
  })

  it('lets one at a time work on a key, and others on other keys', async () => {
    await using folder = await createFolder()
    const [one, other] = [fileTokenStore({ directory: folder.path }), fileTokenStore({ directory: folder.path })]
    let working = 0
    const work = async () => {
      working += 1
      expect(working).toBe(1)
      await other.get('a')
      working -= 1
    }
    await Promise.all(Array.from({ length: 10 }, (_, count) => (count % 2 ? one : other).lock!('a', work)))
    await one.lock!('a', () => other.lock!('b', async () => {}))
    expect(await readdir(folder.path)).toEqual([])
  })

  it('a lock is given back by work that fails, and waited for no longer than allowed', async () => {
    await using folder = await createFolder()
    const store = fileTokenStore({ directory: folder.path, lockTimeoutMs: 30 })
    await expect(store.lock!('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await store.lock!('a', async () => {
      await expect(store.lock!('a', async () => {})).rejects.toThrow(/held the lock .* for 30 ms/)
    })
  })

  it('the lock of a process that has exited is taken over', async () => {
    await using folder = await createFolder()
    const store = fileTokenStore({ directory: folder.path, lockTimeoutMs: 60_000 })
    let lockFile = ''
    await store.lock!('a', async () => {
      const [name] = await readdir(folder.path)
      lockFile = join(folder.path, name!)
    })
    const { hostname } = await import('node:os')
    const dead = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => dead.once('exit', resolve))
    await writeFile(lockFile, `${hostname()} ${dead.pid} someone`)
    expect(await store.lock!('a', async () => 'mine')).toBe('mine')
  })
})

describe('processes that share a rotating refresh token', () => {
  it('F169 eight of them refresh in turn, and none sees invalid_grant', async () => {
    await using served = await serveScriptedOAuth()
    await using folder = await createFolder()
    const { oauth } = served
    const directory = join(folder.path, 'tokens')
    const provider = browsingProvider(oauth, { store: fileTokenStore({ directory }) })
    const poster = provider.authorize(createFetchPoster(), new URL(oauth.resource))
    await poster({ method: 'POST', url: oauth.resource, headers: {}, body: '{}' })
    // Each process can make so many calls with a token, so that they all have to refresh, often at about the same time.
    const uses = new Map<string, number>()
    oauth.routes.set(`POST ${oauth.resource}`, ({ headers }) => {
      const token = headers['authorization']?.slice('Bearer '.length) ?? ''
      const use = `${token} ${headers['x-process']}`
      const count = uses.get(use) ?? 0
      if (!oauth.accessTokens.has(token) || count >= CALLS_PER_TOKEN) {
        return { status: 401, headers: { 'www-authenticate': oauth.challenge() } }
      }
      uses.set(use, count + 1)
      return { status: 200, body: '{}' }
    })
    const program = await folder.write('client.mjs', await bundle())
    const runs = Array.from({ length: PROCESSES }, () =>
      runProcess(program, [oauth.resource, directory, `${CALLS_PER_PROCESS}`]),
    )
    expect(await Promise.all(runs)).toEqual(new Array(PROCESSES).fill({ code: 0, stderr: '' }))
    expect(oauth.usedRefreshTokens.size).toBeGreaterThanOrEqual(CALLS_PER_PROCESS / CALLS_PER_TOKEN - 1)
    expect(oauth.replays).toBe(0)
    expect(oauth.authorizations).toHaveLength(1)
  })
})

async function bundle(): Promise<string> {
  const result = await build({
    entryPoints: ['test/fixtures/oauth/rotating-client.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    alias: { '#platform': './src/node/platform.ts' },
    external: ['cross-spawn'],
  })
  return result.outputFiles[0]!.text
}

async function runProcess(program: string, args: string[]): Promise<{ code: number | null; stderr: string }> {
  const { output, ended } = startNode([program, ...args])
  const [code] = await ended
  return { code, stderr: output.stderr }
}
