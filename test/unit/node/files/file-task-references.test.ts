// References of tasks in a file: whole, private, and shared by processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { fileTaskReferences } from '../../../../src/node/files/file-task-references.ts'
import type { TaskReference } from '../../../../src/types/extensions/tasks.ts'
import { bundleProgram } from '../../../support/bundle.ts'
import { startNode } from '../../../support/child.ts'
import { createFolder } from './temporary-folder.ts'

function reference(taskId: string, server = 'reports'): TaskReference {
  return { server, taskId, tool: 'build', createdAt: '2026-01-01T00:00:00Z', ttlMs: null, dialect: 'extension' }
}

/** A process that has exited, whose id nobody has for now. */
async function exited() {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child
}

const PROCESSES = 4
const TASKS_PER_PROCESS = 15

describe('fileTaskReferences', () => {
  it('keeps references of several servers, each once, for other processes too', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'deep', 'tasks.json')
    const references = fileTaskReferences(path)
    expect(await references.list()).toEqual([])
    await references.add(reference('a'))
    await references.add(reference('a', 'other'))
    await references.add({ ...reference('a'), ttlMs: 5 })
    expect(await fileTaskReferences(path).list()).toEqual([reference('a', 'other'), { ...reference('a'), ttlMs: 5 }])
    await references.remove(reference('a'))
    await references.remove(reference('a'))
    expect(await references.list()).toEqual([reference('a', 'other')])
  })

  it.runIf(process.platform !== 'win32')('can be read by its owner alone, and leaves no other file', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    await fileTaskReferences(path).add(reference('a'))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder.path)).toEqual(['tasks.json'])
  })

  it.each([
    ['{"half":', 'is not JSON'],
    ['{}', 'is not a list'],
    ['[{"taskId":"a"}]', 'has an entry that is not a task reference, at index 0'],
  ])('explains a damaged file and does not write over it: %s', async (text, problem) => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    await writeFile(path, text)
    const references = fileTaskReferences(path)
    await expect(references.list()).rejects.toThrow(`The file ${path} with references of tasks ${problem}. Repair it`)
    await expect(references.add(reference('a'))).rejects.toThrow(problem)
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('a server that leaves too much loses its own oldest references, and not those of others', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    const references = fileTaskReferences(path)
    await references.add(reference('good'))
    // What the worst id that a client accepts takes, as often as the file can be read with.
    const id = (n: number) => `${'\ud800'.repeat(1_016)}${String(n).padStart(8, '0')}`
    const hostile = Array.from({ length: 1_300 }, (_, n) => reference(id(n), 'hostile'))
    await writeFile(path, JSON.stringify([reference('good'), ...hostile]))
    for (let n = 1_300; n < 1_303; n++) await references.add(reference(id(n), 'hostile'))
    await references.add(reference('second'))
    const kept = await fileTaskReferences(path).list()
    expect((await stat(path)).size).toBeLessThan(9 * 1024 * 1024)
    const ids = kept.map(({ taskId }) => taskId)
    expect([ids[0], ids.at(-1), ids.at(-2)]).toEqual(['good', 'second', id(1_302)])

    // By number as well, where they are short.
    const many = Array.from({ length: 10_000 }, (_, n) => reference(`t${n}`, 'hostile'))
    await writeFile(path, JSON.stringify([reference('good'), ...many]))
    await references.add(reference('second'))
    const left = await references.list()
    expect([left.length, left[0]?.taskId, left[1]?.taskId]).toEqual([10_000, 'good', 't2'])
  })

  it('refuses a reference that is too large, and stays usable', async () => {
    await using folder = await createFolder()
    const references = fileTaskReferences(join(folder.path, 'tasks.json'))
    await expect(references.add(reference('\u0001'.repeat(3_000)))).rejects.toThrow('takes up to 16384')
    await references.add(reference('a'))
    expect(await references.list()).toEqual([reference('a')])
  })

  it('refuses what is not a path', () => {
    expect(() => fileTaskReferences('')).toThrow('needs the path of a file, not an empty string')
    expect(() => fileTaskReferences(5 as never)).toThrow(TypeError)
  })

  it.each([
    ['of a process that has exited', async () => `${hostname()} ${(await exited()).pid} someone`, 0],
    [
      'of an earlier process with the same id, as in a container',
      async () => `${hostname()} ${process.pid} someone`,
      4,
    ],
    ['that was left before its mark was written', async () => '', 3],
    ['that something else has written', async () => 'locked', 3],
    ['of a process on another host', async () => 'elsewhere 1 someone', 5],
    ['of a process that goes on and does nothing', async () => `${hostname()} ${process.ppid} someone`, 5],
  ])('takes over a lock %s', async (_name, mark, seconds) => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    await writeFile(`${path}.lock`, await mark())
    // As old as a lock has to be, so that nobody waits here.
    const leftAt = new Date(Date.now() - seconds * 1_000 - 500 - (seconds === 4 ? process.uptime() * 1_000 : 0))
    await utimes(`${path}.lock`, leftAt, leftAt)
    const waiting = vi.spyOn(globalThis, 'setTimeout')
    await fileTaskReferences(path).add(reference('a'))
    expect(waiting).not.toHaveBeenCalled()
    waiting.mockRestore()
    expect(await fileTaskReferences(path).list()).toEqual([reference('a')])
    expect(await readdir(folder.path)).toEqual(['tasks.json'])
  })

  it.each([
    ['a process that runs', `${hostname()} ${process.ppid} someone`],
    ['a process on another host', 'elsewhere 1 someone'],
    ['this process', `${hostname()} ${process.pid} someone`],
    ['a process that has not written its mark yet', ''],
  ])('waits for the lock of %s', async (_name, mark) => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    await writeFile(`${path}.lock`, mark)
    let isAdded = false
    const adding = fileTaskReferences(path)
      .add(reference('a'))
      ?.then(() => {
        isAdded = true
      })
    // Touched like a lock that somebody holds, however slow this machine is.
    for (let turn = 0; turn < 100; turn += 1) await utimes(`${path}.lock`, new Date(), new Date())
    expect(isAdded).toBe(false)
    await rm(`${path}.lock`)
    await adding
  })

  it('loses nothing when calls overlap', async () => {
    await using folder = await createFolder()
    const references = fileTaskReferences(join(folder.path, 'tasks.json'))
    const ids = Array.from({ length: 20 }, (_, index) => `task-${index}`)
    await Promise.all(ids.map((id) => references.add(reference(id))))
    await Promise.all(ids.slice(0, 10).map((id) => references.remove(reference(id))))
    const left = (await references.list()).map(({ taskId }) => taskId)
    expect(left.sort()).toEqual(ids.slice(10).sort())
  })

  it('loses nothing when several processes write at once', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    const contents = `import { fileTaskReferences } from './src/node/files/file-task-references.ts'
      const references = fileTaskReferences(process.argv[2])
      for (let n = 0; n < ${TASKS_PER_PROCESS}; n++) {
        await references.add({ ...${JSON.stringify(reference('x'))}, taskId: process.argv[3] + '-' + n })
      }`
    const program = await bundleProgram('task-references', contents)
    const children = Array.from({ length: PROCESSES }, (_, index) => startNode([program, path, String(index)]))
    for (const { ended, output } of children) expect([await ended, output.stderr]).toEqual([[0, null], ''])
    const found = await fileTaskReferences(path).list()
    expect(new Set(found.map(({ taskId }) => taskId)).size).toBe(PROCESSES * TASKS_PER_PROCESS)
  }, 60_000)

  it.skipIf(process.platform === 'win32')('leaves no lock where the disk is full', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'tasks.json')
    const program = await bundleProgram(
      'task-references-full-disk',
      `import { fileTaskReferences } from './src/node/files/file-task-references.ts'
       await fileTaskReferences(process.argv[2]).add(${JSON.stringify(reference('a'))})`,
    )
    // A limit on the size of files refuses a write, as a full disk does.
    const shell = `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`
    const child = spawn('/bin/sh', ['-c', shell, process.execPath, program, path], { stdio: 'ignore' })
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(await readdir(folder.path)).toEqual([])
  })
})
