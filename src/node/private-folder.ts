// A folder in which nobody else can put or replace files.
import { chmod, mkdir, stat } from 'node:fs/promises'

const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/** Makes the folder where there is none. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await checkPrivateFolder(path)
}

/**
 * Takes the right to write away from everybody else; throws where that is not ours to do. `false` where there is no such
 * folder. On Windows, where folders of a user are private by themselves, nothing is looked at.
 */
export async function checkPrivateFolder(path: string): Promise<boolean> {
  const found = await findFolder(path)
  if (found === undefined) return false
  if (process.platform === 'win32') return true
  if (found.uid !== process.getuid?.()) {
    throw new Error(`The folder ${path} belongs to another user, who can replace the files in it. ${ADVICE}`)
  }
  if ((found.mode & WRITABLE_BY_OTHERS) === 0) return true
  // A folder that is meant for everybody, as /tmp is.
  if ((found.mode & STICKY) !== 0) throw new Error(`The folder ${path} is shared with other users. ${ADVICE}`)
  await chmod(path, found.mode & 0o700)
  return true
}

const ADVICE = 'Use a folder of your own for tokens.'

async function findFolder(path: string): Promise<{ uid: number; mode: number } | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
