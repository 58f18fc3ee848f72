// mcpwire completion: prints the script of a shell; that script asks it for the words that may come next.
import { completeWords } from '../completion/complete-words.ts'
import { FILES_MARK, SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts'
import { rememberedOffers } from '../files/offers-cache.ts'
import { loadVerbs } from '../help/table.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import type { Invocation } from './shared/invocation.ts'

interface CompletionOptions {
  /** The word at the cursor, given by the scripts. */
  current?: string
}

export async function completionVerb({
  words,
  afterDashes,
  options,
  output,
}: Invocation<CompletionOptions>): Promise<number> {
  const [shell = ''] = words
  if (!isShell(shell)) {
    throw usageFailure(`Unknown shell "${shell}".${suggest(shell, SHELLS)}`, `Use one of: ${SHELLS.join(', ')}.`)
  }
  if (options.current === undefined) {
    output.print(SCRIPTS[shell].trimEnd())
    return EXIT.done
  }
  const { words: found, takesFiles } = await completeWords(afterDashes ?? [], options.current, await loadVerbs(), {
    offers: rememberedOffers,
    tasks: async () => (await (await import('../files/kept-tasks.ts')).listKeptTasks()).map(({ taskId }) => taskId),
    servers: async () => (await import('../target/configured.ts')).configuredNames(),
    hosts: async () => (await import('../install/hosts.ts')).hostNames(),
  })
  const lines = takesFiles ? [FILES_MARK, ...found] : found
  if (lines.length > 0) output.print(lines.join('\n'))
  return EXIT.done
}

function isShell(word: string): word is Shell {
  return (SHELLS as readonly string[]).includes(word)
}
