import { VisibleName } from '../../platform/http/visible-name.ts'

/** A name as a person writes it. */
export const PersonName = VisibleName()
