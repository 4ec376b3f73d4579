/**
 * A word of a list, or one that this version does not know: an older or a newer replica may have stored it. Editors
 * offer the known ones, and no cast is needed to read the others.
 */
export type OpenWord<Known extends string> = Known | (string & Record<never, never>)
