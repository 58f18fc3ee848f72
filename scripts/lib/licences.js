// The licences of the packages that a bundle contains, in one file beside it: most of them ask for that.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { root } from './run.js'

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Throws where a package has no licence to go along. */
export function writeLicences(metafile, path) {
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const contained = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  const folders = new Set(contained.flatMap((input) => PACKAGE.exec(input)?.[1] ?? []))
  const licences = new Map()
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'))
    const file = readdirSync(new URL(folder, root)).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} ${version} has no licence file`)
    const [start, terms] = splitLicence(readFileSync(new URL(`${folder}/${file}`, root), 'utf8').trim())
    const key = terms.replaceAll(/\s+/g, ' ')
    const { owners } = licences.get(key) ?? licences.set(key, { terms, owners: [] }).get(key)
    owners.push(`${name} ${version} (${license})\n${start === '' ? '' : `${start}\n`}`)
  }
  const texts = [...licences.values()].map(({ terms, owners }) => `${owners.join('\n')}\n${terms}\n`)
  writeFileSync(new URL(path, root), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

const TERMS = /^Permission (?:is hereby granted|to use)/m

/** The title and the names of those who have the rights, and the terms, which many packages have in common. */
function splitLicence(text) {
  const at = text.search(TERMS)
  return at < 0 ? ['', text] : [text.slice(0, at).trim(), text.slice(at)]
}
