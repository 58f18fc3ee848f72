// Opening a page: only web pages, and hostile URLs as exactly one argument of one program.
import { chmod } from 'node:fs/promises'
import { openBrowser } from 'mcpwire/node'
import { describe, expect, it } from 'vitest'
import { openerOf, toWebUrl } from '../../../../src/node/files/open-browser.ts'
import { createFolder } from './temporary-folder.ts'

const HOSTILE = [
  'https://as.example.com/a?x=$(touch%20pwned)',
  'https://as.example.com/a?x=$(touch pwned)&calc.exe|whoami;id`id`',
  'https://as.example.com/"; & calc.exe & "',
  "https://as.example.com/'%0aid",
  'https://as.example.com/\nid',
]

describe('openBrowser', () => {
  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', '--help', 'C:\\calc.exe', ''])(
    'F180 R25 refuses %s',
    async (url) => {
      await expect(openBrowser(url)).rejects.toThrow(TypeError)
    },
  )

  it.each(HOSTILE)('F180 R25 %s is one argument, without blanks, quotes and control characters', (url) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const { args } = openerOf(platform, toWebUrl(url))
      expect(args.at(-1)).toBe(new URL(url).href)
      expect(args.at(-1)).not.toMatch(/[\s"<>\p{Cc}]/u)
    }
    expect(openerOf('win32', toWebUrl(url)).command).not.toMatch(/cmd|powershell/)
  })

  it.runIf(process.platform === 'linux')('F180 R25 starts the one program with the URL as it is', async () => {
    await using folder = await createFolder()
    const opener = await folder.write('xdg-open', '#!/bin/sh\n[ "$#" = 1 ] && [ "$1" = "$EXPECTED_URL" ]\n')
    await chmod(opener, 0o755)
    const { PATH } = process.env
    try {
      for (const url of HOSTILE) {
        process.env['PATH'] = folder.path
        process.env['EXPECTED_URL'] = new URL(url).href
        expect(await openBrowser(url)).toBe(true)
      }
      process.env['EXPECTED_URL'] = 'another'
      expect(await openBrowser('https://as.example.com/')).toBe(false)
      process.env['PATH'] = '/nonexistent'
      expect(await openBrowser('https://as.example.com/')).toBe(false)
    } finally {
      process.env['PATH'] = PATH
      delete process.env['EXPECTED_URL']
    }
  })
})
