// Skills: one with files and folders, one inside another, one under a path, and one that is written when it is read.
import type { MCPServer } from 'mcpwire'

export function addSkills(server: MCPServer): void {
  server.skill({
    'SKILL.md': skillText('git-workflow', 'How to branch, commit and merge.', 'Read `references/COMMITS.md` first.'),
    'references/COMMITS.md': '# Commits\n\nOne subject per commit.\n',
    'references/branches/NAMES.md': '# Names of branches\n',
    'scripts/check.sh': '#!/bin/sh\ngit diff --check\n',
    'release/SKILL.md': skillText('release', 'How to release.', 'Tag the commit.'),
  })
  server.skill(
    {
      'SKILL.md': skillText('refunds', 'How to refund a customer.', 'Use `templates/email.md`.'),
      'templates/email.md': 'Dear customer,\n',
      'logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47),
    },
    { path: 'acme/billing/refunds' },
  )
  server.skill('daily', { description: 'The report of the day.', body: () => 'Nothing happened today.\n' })
}

function skillText(name: string, description: string, body: string): string {
  return `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\nmetadata:\n  version: "1.0"\n---\n\n# ${name}\n\n${body}\n`
}
