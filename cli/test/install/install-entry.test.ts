// The entry that a host gets for a file: absolute in every part, on Windows too, and never from the npx cache.
import { describe, expect, it } from 'vitest'
import { type EntrySurroundings, entryForHost } from '../../target/install-entry.ts'
import { readVersion } from '../../terminal/version.ts'
import { failureOf } from './config-support.ts'

const posix: EntrySurroundings = {
  execPath: '/usr/bin/node',
  execArgv: [],
  mainProgram: '/home/ann/shop/node_modules/mcpwire/dist/cli/mcpwire.js',
  cwd: '/home/ann/shop',
  isWindows: false,
}
const windows: EntrySurroundings = {
  execPath: 'C:\\Program Files\\nodejs\\node.exe',
  execArgv: ['--import', '.\\hooks\\my hook.mjs', '--inspect', '-r=C:\\x\\old.cjs'],
  mainProgram: 'C:\\Users\\Ann\\shop\\node_modules\\mcpwire\\dist\\cli\\mcpwire.js',
  cwd: 'C:\\Users\\Ann\\shop',
  isWindows: true,
}
const file = { path: '/home/ann/shop/server.ts', exportName: undefined }
const windowsFile = { path: 'C:\\Users\\Ann\\shop\\my server.ts', exportName: 'shop' }

describe('the entry of a file', () => {
  it('is this Node, this copy of mcpwire, run and the file', () => {
    expect(entryForHost(file, {}, posix)).toEqual({
      command: posix.execPath,
      args: [posix.mainProgram, 'run', file.path],
      env: {},
    })
  })

  it('has the arguments of the server after --', () => {
    const { args } = entryForHost(file, { args: ['--root', '/data'] }, posix)
    expect(args.slice(1)).toEqual(['run', file.path, '--', '--root', '/data'])
  })

  it('on Windows keeps paths as they are, and makes loaders file URLs', () => {
    expect(entryForHost(windowsFile, {}, windows)).toEqual({
      command: 'C:\\Program Files\\nodejs\\node.exe',
      args: [
        '--import',
        'file:///C:/Users/Ann/shop/hooks/my%20hook.mjs',
        '-r',
        'C:\\x\\old.cjs',
        windows.mainProgram,
        'run',
        'C:\\Users\\Ann\\shop\\my server.ts:shop',
      ],
      env: {},
    })
  })

  it('leaves out what else Node was started with', () => {
    const execArgv = ['--inspect-brk', '--max-old-space-size=99', '--import=./a.mjs']
    const { args } = entryForHost(file, {}, { ...posix, execArgv })
    expect(args.slice(0, 2)).toEqual(['--import', 'file:///home/ann/shop/a.mjs'])
    expect(args).toHaveLength(5)
  })

  it('--dev runs it with reload over stdio', () => {
    expect(entryForHost(file, { dev: true }, posix).args.slice(1)).toEqual(['dev', file.path, '--stdio'])
  })

  it.each([
    '/home/ann/.npm/_npx/0a1b/node_modules/mcpwire/dist/cli/mcpwire.js',
    'C:\\Users\\Ann\\AppData\\Local\\npm-cache\\_npx\\0a1b\\node_modules\\mcpwire\\dist\\cli\\mcpwire.js',
  ])('is refused from the npx cache, unless it is portable: %s', async (mainProgram) => {
    const failure = await failureOf(() => entryForHost(file, {}, { ...posix, mainProgram }))
    expect(failure).toMatchObject({ slug: 'npx-cache', exitCode: 1 })
    expect(failure.words).toMatch(/npx cache.*\n.*npm install mcpwire.*--portable/)
    expect(entryForHost(file, { portable: true }, { ...posix, mainProgram })).toEqual({
      command: 'npx',
      args: ['-y', `mcpwire@${readVersion()}`, 'run', file.path],
      env: {},
    })
  })
})
