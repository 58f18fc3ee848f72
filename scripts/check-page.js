// The page of the inspector shows text of servers that nobody trusts. It never makes markup or code of text, stores nothing but its
// token, and loads nothing from elsewhere; the policy of the page would stop it, and this check says where.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

const RULES = [
  [
    /\b(?:inner|outer)HTML\b|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment/,
    'makes markup of text',
  ],
  [/\bsrcdoc\b/i, 'shows markup in a frame of its own origin'],
  [/\beval\(|new Function\b|setTimeout\(\s*['"`]/, 'makes code of text'],
  [/\blocalStorage\b|\bindexedDB\b|document\.cookie/, 'stores something beside the token'],
  [/\bstyle="|\bstyle='/, 'sets an inline style, which the policy of the page refuses'],
  [/(?:src|href|url\()\s*=?\s*["'(]?(?:https?:)?\/\/(?!127\.0\.0\.1)/, 'loads something from elsewhere'],
]

/** The places where a file of the page breaks a rule, as sentences. */
export function findPageProblems(name, source) {
  return source
    .split('\n')
    .flatMap((line, index) =>
      RULES.filter(([pattern]) => pattern.test(line)).map(([, what]) => `${name}:${index + 1} ${what}: ${line.trim()}`),
    )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = fileURLToPath(new URL('../inspector/page/', import.meta.url))
  const files = readdirSync(folder, { recursive: true }).filter((file) => /\.(?:tsx?|css|html)$/.test(file))
  const problems = files.flatMap((file) => findPageProblems(file, readFileSync(`${folder}${file}`, 'utf8')))
  for (const problem of problems) console.error(problem)
  console.log(`${files.length} files of the page, ${problems.length} problems`)
  process.exitCode = problems.length === 0 && files.length > 0 ? 0 : 1
}
