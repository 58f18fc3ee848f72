import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url))

export default defineConfig({
  // Tests run the source, not the build.
  resolve: {
    alias: [
      { find: '#platform', replacement: source('node/platform.ts') },
      { find: /^mcpwire$/, replacement: source('exports/index.ts') },
      { find: /^mcpwire\/(.*)$/, replacement: source('exports/$1.ts') },
    ],
  },
  test: {
    include: [
      'test/**/*.test.ts',
      'docs/examples/**/*.test.ts',
      'cli/test/**/*.test.ts',
      'cli/templates/*/test/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
    ],
    environment: 'node',
    // These limits only end what hangs. They are far above what any test takes, so that a busy machine,
    // where a test runs ten times as long, changes no result. test/setup.ts bounds `vi.waitFor` likewise.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/engines/global-setup.ts'],
    // Servers in service write their faults to the standard error, and most of these tests are about faults.
    onConsoleLog: (log) => !log.startsWith('mcpwire: '),
    coverage: {
      provider: 'v8',
      include: ['src/**', 'cli/**', 'packages/*/src/**'],
      exclude: ['cli/test/**'],
      reporter: ['text-summary', 'json-summary'],
    },
  },
})
