// A headless Chromium that tests drive, where the machine has one.
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { NOT_TESTED } from '../engines/not-tested.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** The browser has no business of its own on the network. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const EXTRA_FLAGS = (process.env['CHROME_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '')

function findChromium(): string | undefined {
  const candidates = [process.env['CHROME_PATH'], ...NAMES].filter((name) => name !== undefined && name !== '')
  for (const name of candidates as string[]) {
    const found = spawnSync('sh', ['-c', 'command -v -- "$0"', name], { encoding: 'utf8' })
    if (found.status === 0) return found.stdout.trim()
  }
  return undefined
}

/** `describe` with a page per test. Without Chromium it says what was not tested, and fails where REQUIRE_CHROMIUM is set. */
export function describeInChromium(title: string, tests: (visit: Visit) => void): void {
  const executablePath = findChromium()
  const notice = `not tested: ${title}, because there is no Chromium; install one, or name it in CHROME_PATH`
  if (executablePath !== undefined) {
    describe(title, () => tests((use) => withPage(executablePath, use)))
  } else if (process.env['REQUIRE_CHROMIUM'] === '1') {
    it(title, () => expect.fail(notice))
  } else {
    const file = process.env[NOT_TESTED]
    if (file === undefined) console.warn(notice)
    else appendFileSync(file, 'the inspector and views of apps in a browser (no Chromium)\n')
    describe.skipIf(true)(title, () => it(notice, () => expect.fail(notice)))
  }
}

export type Visit = (use: (page: Page) => Promise<void>) => Promise<void>

async function withPage(executablePath: string, use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: [...FLAGS, ...EXTRA_FLAGS], timeout: 120_000 })
  try {
    const page = await browser.newPage({ viewport: { width: 720, height: 640 } })
    page.setDefaultTimeout(60_000)
    await use(page)
  } finally {
    await browser.close()
  }
}
