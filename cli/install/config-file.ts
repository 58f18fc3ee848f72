// Config files in JSON, as most hosts have them.
import { type ConfigDocument, parseConfig } from './formats/config-text.ts'
import { type ConfigChange, type ConfigOutcome, changeTextFile, readTextFile, type TextFile } from './text-file.ts'

export { isOpenToOthers, MAX_CONFIG_BYTES } from './text-file.ts'

export interface ConfigFile extends Omit<TextFile, 'text'> {
  /** An empty object where there is no file. */
  readonly document: ConfigDocument
}

/** Missing and empty files count as `{}`; everything that is not a file of JSON fails. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  return toConfigFile(await readTextFile(path))
}

/** As `changeTextFile`. */
export function changeConfigFile(
  path: string,
  change: (file: ConfigFile) => ConfigChange | undefined,
): Promise<ConfigOutcome> {
  return changeTextFile(path, (file) => change(toConfigFile(file)))
}

function toConfigFile({ path, mode, text }: TextFile): ConfigFile {
  return { path, mode, document: parseConfig(path, text) }
}
