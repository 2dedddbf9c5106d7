// The texts of the table. No file holds them: `web/element.py` puts them into the script, from the catalogue of all pages.

export const TEXTS: Record<string, string>;
export const NUMBERS: string[];
export const FACE: string[];
export const FACES: string[];
