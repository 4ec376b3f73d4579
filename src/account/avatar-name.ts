/** The name of a picture in the blob store. Each version has its own name, so that no cache shows an old one as new. */
export const avatarBlobName = (userId: string, version: string): string => `${userId}/${version}.webp`

/** Names that avatars have, and those of an upload that was never finished. Other names in the blob store are ignored. */
const AVATAR = /^(usr_[A-Za-z0-9_-]+)\/([A-Za-z0-9_-]+)\.webp(\.[0-9a-f-]+\.part)?$/

/** Whose picture has this name, and which version it is; none for an upload that was never finished. */
export function readAvatarName(name: string): { userId: string; version: string | undefined } | undefined {
  const [, userId, version, part] = AVATAR.exec(name) ?? []
  return userId === undefined ? undefined : { userId, version: part === undefined ? version : undefined }
}
