// The page of the inspector as a person uses it: by roles and names. What it must never do is checked on every visit.
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { World } from './support.ts'

/** What a visit needs to know. */
export type Visited = Pick<World, 'origin'> & { readonly inspector: Pick<World['inspector'], 'link'> }

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const screenshots = fileURLToPath(new URL('../../build/inspector-screenshots/', import.meta.url))

export class InspectorPage {
  readonly page: Page
  /** Errors of the page, violations of its policy, and requests to anywhere else: none may come. */
  readonly offences: string[] = []
  readonly #world: Visited

  private constructor(page: Page, world: Visited) {
    this.page = page
    this.#world = world
  }

  static async open(page: Page, world: Visited): Promise<InspectorPage> {
    const own = new InspectorPage(page, world)
    await own.#watch()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(world.inspector.link)
    return own
  }

  /** inspector I8: also what the browser itself says about the policy. */
  async #watch(): Promise<void> {
    const { page, offences } = this
    const { hostname } = new URL(this.#world.origin)
    page.on('pageerror', (error) => offences.push(`error: ${error.message}`))
    page.on('console', (message) => {
      const isOfFrame = message.location().url.startsWith(this.#world.origin) === false
      if (message.type() === 'error' && !isOfFrame) offences.push(`console: ${message.text()}`)
    })
    page.on('request', (request) => {
      const url = new URL(request.url())
      const isOwn = url.protocol === 'data:' || url.protocol === 'blob:' || url.hostname === hostname
      if (!isOwn && request.frame() === page.mainFrame()) offences.push(`request: ${url.href}`)
    })
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(globalThis, { policyViolations: seen })
      addEventListener('securitypolicyviolation', (event) => {
        const { effectiveDirective, blockedURI } = event as unknown as Record<string, string>
        seen.push(`${effectiveDirective}: ${blockedURI}`)
      })
    })
  }

  async expectNoOffences(): Promise<void> {
    const violations = (await this.page.evaluate('globalThis.policyViolations')) as string[]
    expect([...this.offences, ...violations]).toEqual([])
  }

  /** Goes there by the link in the header. */
  async show(screen: string): Promise<void> {
    await this.page
      .getByRole('navigation', { name: 'Screens' })
      .getByRole('link', { name: new RegExp(`^${screen}`) })
      .click()
    await this.page.locator(`main[data-screen="${screen.toLowerCase()}"]`).waitFor()
  }

  async showTool(name: string): Promise<void> {
    await this.show('Tools')
    await this.item(name).click()
    await this.page.getByRole('heading', { level: 1, name }).waitFor()
  }

  item(name: string): Locator {
    return this.page
      .locator('[data-list]')
      .getByRole('button', { name: new RegExp(`^${name}`) })
      .first()
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true })
  }

  result(state: string): Locator {
    return this.page.locator(`.result[data-state="${state}"]`)
  }

  /** Fills in and sends the form of `order`, which then asks. */
  async order(): Promise<void> {
    await this.showTool('order')
    await this.page.getByLabel('book').check()
    await this.page.getByLabel('street').fill('High St 1')
    await this.page.getByLabel('city').fill('Bern')
    await this.button('Call').click()
    await this.page.getByText('Really order 1 × book?').waitFor()
  }

  async expectAccessible(state: string): Promise<void> {
    const isThere = await this.page.evaluate('typeof globalThis.axe')
    if (isThere === 'undefined') await this.page.evaluate(axeSource)
    const found = (await this.page.evaluate(`axe.run(document, { resultTypes: ['violations'], iframes: false })`)) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
    }
    const shown = found.violations.map(
      ({ id, nodes }) =>
        `${state}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    )
    expect(shown).toEqual([])
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true })
    await this.page.screenshot({ path: `${screenshots}${name}.png` })
  }

  /** The state in both schemes: accessible, and kept as pictures. */
  async look(state: string): Promise<void> {
    for (const scheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme: scheme })
      await this.expectAccessible(`${state}, ${scheme}`)
      await this.screenshot(`${state}-${scheme}`)
    }
    await this.page.emulateMedia({ colorScheme: 'light' })
  }
}
