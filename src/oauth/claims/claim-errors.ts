import { defineErrors } from '../../errors.ts'

/** What is wrong with claims that are mapped for an application. */
export const claimErrors = defineErrors({
  claim_holds_nul: ['invalid_input', 'A claim holds a NUL character.'],
  claim_mapped_twice: ['invalid_input', 'The claim {claim} is mapped twice.'],
  claim_protected: ['invalid_input', "The claim {claim} can't be mapped."],
  claims_too_large: ['invalid_input', 'The claims are larger than {max} KB.'],
})
