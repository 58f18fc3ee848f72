// mcpwire/extensions/skills: instructions with files that models load when they need them.
export { type SkillMismatch, SkillMismatchError } from '../../extensions/skills/client/mismatch-error.ts'
export { type SkillsOptions, skills } from '../../extensions/skills/skills.ts'
export type {
  ClientSkills,
  FoundSkill,
  LoadedSkill,
  SkillEntry,
  SkillFile,
  SkillFileInfo,
  SkillFiles,
  SkillFolder,
  SkillFrontMatter,
  SkillOrigin,
  SkillRequestOptions,
  SkillResource,
  SkillSource,
} from '../../types/extensions/skills.ts'
