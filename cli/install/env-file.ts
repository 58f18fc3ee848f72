// The environment variables of a `.env` file.
import { parseEnv } from 'node:util'
import { decodeText, readContents } from '../files/regular-file.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'

const MAX_ENV_FILE_BYTES = 1024 * 1024

export async function readEnvFile(path: string): Promise<Record<string, string>> {
  const contents = await readContents(path, MAX_ENV_FILE_BYTES)
  if (contents === undefined) {
    throw new Failure(`The file ${path} of --env-file does not exist.`, {
      slug: 'file-not-found',
      exitCode: EXIT.usage,
      hint: 'Check the path.',
    })
  }
  const text = decodeText(path, contents.bytes).replace(/^\ufeff/, '')
  return Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
