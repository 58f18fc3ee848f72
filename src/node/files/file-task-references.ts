// Keeps references of tasks in a file, so that a client finds its tasks again after a restart.

import { mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { typeError } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import { isTaskReference } from '../../types/extensions/task-reference.ts'
import type { TaskReference, TaskReferences } from '../../types/extensions/tasks.ts'
import { withFileLock } from './file-lock.ts'
import { replaceFile } from './replace-file.ts'
import { checkReferenceSize, writeReferences } from './task-reference-list.ts'

/** What is done under the lock takes milliseconds. A holder that pauses for longer notices that it has lost the lock. */
const LOCK = { timeoutMs: 30_000, staleMs: 5_000 }
/** Of a file that is read. It is more than what is written, so that no write makes the file unreadable. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

/**
 * Keeps references of tasks in a JSON file, for `tasks({ references })` of a client. Only the owner can read the file; writes replace
 * it as a whole; several processes can use it at once. The folder is created if it does not exist. Beyond 10,000 references or
 * 8 MiB the oldest ones go, of the server that has most.
 */
export function fileTaskReferences(path: string): TaskReferences {
  if (typeof path !== 'string' || path === '') {
    throw typeError(
      'wrong-option',
      `fileTaskReferences() needs the path of a file, not ${path === '' ? 'an empty string' : describeKind(path)}.`,
    )
  }
  const file = resolve(path)
  const change = async (next: (references: TaskReference[]) => TaskReference[]): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    let isWritten = false
    while (!isWritten) {
      isWritten = await withFileLock(`${file}.lock`, LOCK, async (lock) => {
        const text = writeReferences(next(await readReferences(file)))
        if (!(await lock.isHeld())) return false
        await replaceFile(file, text)
        return true
      })
    }
  }
  return {
    async add(reference) {
      checkReferenceSize(reference)
      await change((references) => [...without(references, reference), reference])
    },
    remove: (reference) => change((references) => without(references, reference)),
    list: () => readReferences(file),
  }
}

function without(references: TaskReference[], { server, taskId }: TaskReference): TaskReference[] {
  return references.filter((each) => each.server !== server || each.taskId !== taskId)
}

/** Empty where there is no file. A damaged one is an error: writing over it would lose references for good. */
async function readReferences(file: string): Promise<TaskReference[]> {
  const text = await readIfThere(file)
  if (text === undefined) return []
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw damaged(file, 'is not JSON', cause)
  }
  if (!Array.isArray(content)) throw damaged(file, 'is not a list')
  const wrong = content.findIndex((entry) => !isTaskReference(entry))
  if (wrong !== -1) throw damaged(file, `has an entry that is not a task reference, at index ${wrong}`)
  return content as TaskReference[]
}

async function readIfThere(file: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>>
  try {
    handle = await open(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { size } = await handle.stat()
    if (size > MAX_FILE_BYTES) throw damaged(file, `has ${size} bytes, more than ${MAX_FILE_BYTES}`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

function damaged(file: string, problem: string, cause?: unknown): Error {
  const message = `The file ${file} with references of tasks ${problem}. Repair it, or move it away to begin with an empty one.`
  return new Error(message, cause === undefined ? undefined : { cause })
}
