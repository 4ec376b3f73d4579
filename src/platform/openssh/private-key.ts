const PRIVATE_KEY = /PRIVATE KEY-----|SSH2 ENCRYPTED PRIVATE KEY|^PuTTY-User-Key-File/m

/** Whether a text is a file with a private key, in any format that is in use. The dashboard asks too, before it sends anything. */
export const isPrivateKey = (text: string): boolean => PRIVATE_KEY.test(text)
