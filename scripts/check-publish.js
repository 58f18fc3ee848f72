// Runs before npm publishes: refuses a package whose addresses are placeholders or whose README links to what is not packed.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from './lib/run.js'

/** A top-level domain that never resolves (RFC 2606): what stands in package.json until the project has an address. */
const PLACEHOLDER = /\/\/[^/]*\.invalid(?:[/:]|$)/

const FIELDS = {
  homepage: ({ homepage }) => homepage,
  'repository.url': ({ repository }) => repository?.url,
  'bugs.url': ({ bugs }) => bugs?.url,
}

/** What is wrong, one sentence each. `packed` has the paths of the files in the package. */
export function findPublishFaults(manifest, readme, packed) {
  const addresses = Object.entries(FIELDS).flatMap(([field, read]) => {
    const address = read(manifest)
    if (typeof address !== 'string' || address === '') return [`package.json has no ${field}.`]
    if (PLACEHOLDER.test(address)) return [`${field} in package.json is a placeholder: ${address}`]
    return []
  })
  return [...addresses, ...findDeadLinks(readme, packed)]
}

function findDeadLinks(readme, packed) {
  const links = [...readme.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g)].map(([, link]) => link)
  const relative = links.filter((link) => !/^(?:[a-z]+:|#|\/\/)/i.test(link))
  return relative
    .filter((link) => !packed.includes(link.replace(/[#?].*$/, '').replace(/^\.\//, '')))
    .map((link) => `README.md links to ${link}, which is not in the package.`)
}

function listPacked() {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
  const packed = JSON.parse(listing.toString())
  const [{ files }] = Array.isArray(packed) ? packed : Object.values(packed)
  return files.map(({ path }) => path)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (file) => readFileSync(new URL(file, root), 'utf8')
  const faults = findPublishFaults(JSON.parse(read('package.json')), read('README.md'), listPacked())
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
