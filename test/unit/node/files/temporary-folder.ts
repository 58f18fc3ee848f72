// A folder for one test, with files in it, gone after the test.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
  write(path: string, contents?: string | Uint8Array): Promise<string>
  link(path: string, target: string): Promise<void>
}

export async function createFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'mcpwire-'))
  return {
    path,
    write: async (name, contents = name) => {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, contents)
      return file
    },
    link: (name, target) => symlink(target, join(path, name)),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
