// mcpwire/extensions/skills: instructions with files that models load when they need them.
export { skills } from '../../extensions/skills/skills.ts'
export type { ClientSkills, SkillEntry, SkillResource } from '../../types/extensions/skills.ts'
