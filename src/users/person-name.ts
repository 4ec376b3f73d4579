import { VisibleName } from '../http/visible-name.ts'

/** A name as a person writes it. */
export const PersonName = VisibleName()
