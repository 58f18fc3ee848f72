// The licences of the packages that a bundle contains, in one file beside it: most of them ask for that.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { root } from './run.js'

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Throws where a package has no licence to go along. */
export function writeLicences(metafile, path) {
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const contained = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  const folders = new Set(contained.flatMap((input) => PACKAGE.exec(input)?.[1] ?? []))
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'))
    const file = readdirSync(new URL(folder, root)).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} ${version} has no licence file`)
    return `${name} ${version} (${license})\n\n${readFileSync(new URL(`${folder}/${file}`, root), 'utf8').trim()}\n`
  })
  writeFileSync(new URL(path, root), texts.join(`\n${'-'.repeat(80)}\n\n`))
}
