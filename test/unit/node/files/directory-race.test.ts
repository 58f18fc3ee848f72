import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { directoryResources } from '../../../../src/node/files/directory-resources.ts'
import { createFolder } from './temporary-folder.ts'

/** What someone who can write into the folder does around the opening of a file. */
const intruder = vi.hoisted(() => ({ beforeOpen: async () => {}, afterOpen: async () => {} }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const open: typeof original.open = async (...args) => {
    await intruder.beforeOpen()
    const file = await original.open(...args)
    await intruder.afterOpen()
    return file
  }
  return { ...original, open }
})

beforeEach(() => {
  intruder.beforeOpen = async () => {}
  intruder.afterOpen = async () => {}
})

describe('directoryResources, while a folder is exchanged for a link', () => {
  async function createDoor() {
    const outside = await createFolder()
    const folder = await createFolder()
    await outside.write('file.txt', 'secret')
    await folder.write('door/file.txt', 'fine')
    const [door, kept] = [join(folder.path, 'door'), join(folder.path, 'kept')]
    await symlink(outside.path, join(folder.path, 'trap'))
    const exchange = async () => {
      await rename(door, kept)
      await rename(join(folder.path, 'trap'), door)
    }
    const restore = async () => {
      await rename(door, join(folder.path, 'trap'))
      await rename(kept, door)
    }
    const read = () => directoryResources(folder.path).read({ path: 'door/file.txt' })
    const dispose = async () => {
      await outside[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    }
    return { exchange, restore, read, [Symbol.asyncDispose]: dispose }
  }

  it('reads the file if nothing changes meanwhile', async () => {
    await using door = await createDoor()
    expect(await door.read()).toMatchObject({ text: 'fine' })
  })

  it('F199 rejects a file that was opened through a link that was added meanwhile', async () => {
    await using door = await createDoor()
    intruder.beforeOpen = door.exchange
    expect(await door.read()).toBeUndefined()
  })

  it('F199 rejects it also if the link was removed again', async () => {
    await using door = await createDoor()
    intruder.beforeOpen = door.exchange
    intruder.afterOpen = door.restore
    expect(await door.read()).toBeUndefined()
  })
})
