// cli C9: install and uninstall in a copy of the config of each known host. What was there stays, comments included.

import { readdirSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../test/unit/node/files/temporary-folder.ts'
import { inCommonForm } from '../../install/common-form.ts'
import { loadFormat } from '../../install/formats/load-format.ts'
import { noteOf } from '../../install/host-notes.ts'
import { findHost, hostNames } from '../../install/hosts.ts'
import { install, uninstall } from '../../install/install.ts'
import { checkServerEntry } from '../../install/server-entry.ts'
import { recordOutput } from './config-support.ts'

const folder = fileURLToPath(new URL('../../../test/fixtures/cli/hosts/', import.meta.url))
const files = readdirSync(folder)
/** Its file has two layouts, and is not edited. */
const BY_HAND = ['opencode']
const entry = {
  command: '/usr/bin/node',
  args: ['/opt/mcpwire.js', 'run', '/home/ann/my server.ts'],
  env: { KEY: 's3cret' },
}

describe('the config of each known host', () => {
  it('every host has a copy of its config here, and what to do next', () => {
    const known = hostNames().filter((name) => !BY_HAND.includes(name))
    expect(files.map((file) => file.split('.')[0]).sort()).toEqual(known)
    for (const name of hostNames()) {
      expect(noteOf(name)?.next).toMatch(/^[A-Z].*\.$/)
      expect(noteOf(name)?.log).toMatch(/^\S/)
    }
  })

  it.each(files)('cli C9: %s gets the entry, keeps the rest, and is as before after uninstall', async (file) => {
    const [host = ''] = file.split('.')
    await using copy = await createFolder()
    const config = join(copy.path, file)
    await cp(join(folder, file), config)
    const before = await readFile(config, 'utf8')
    const output = recordOutput()
    const [changed] = await install({ name: 'shop', entry, host, config }, output)
    expect(changed).toMatchObject({ host, state: 'added', next: noteOf(host)?.next })
    expect(output.text).not.toContain('s3cret')
    const after = await readFile(config, 'utf8')
    const { format, serversKey } = findHost(host)
    const servers = (await loadFormat(format)).parse(config, after).serversUnder(serversKey({})) ?? {}
    expect(checkServerEntry(inCommonForm(servers['shop']), { file, server: 'shop' }).entry).toMatchObject(entry)
    // The line of the last entry gets a comma in JSON, and nothing else changes.
    const lines = after.split('\n').map((line) => line.replace(/,(?=\s*(?:\/\/.*)?$)/, ''))
    for (const line of before.split('\n')) expect(lines).toContain(line.replace(/,(?=\s*(?:\/\/.*)?$)/, ''))
    await uninstall({ name: 'shop', host, config }, output)
    expect((await readFile(config, 'utf8')).trimEnd()).toBe(before.trimEnd())
    expect(await readFile(`${config}.mcpwire-backup`, 'utf8')).toBe(before)
  })
})
