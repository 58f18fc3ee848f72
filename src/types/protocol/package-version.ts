// The version that this package gives of itself. A test holds it against package.json.

export const PACKAGE_VERSION = '0.3.0'
