## A file that only the user can read, and that is another one only once all of it is on the disk.
extends Object


## Opened to be written, and readable for nobody else before anything is in it; null where it cannot be.
static func begin(path: String) -> FileAccess:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file != null and OS.get_name() != "Windows":  # where the user's folder is the user's own
		FileAccess.set_unix_permissions(path, FileAccess.UNIX_READ_OWNER | FileAccess.UNIX_WRITE_OWNER)
	return file


## "" or what keeps it from being written; then it is as it was.
static func write(path: String, text: String) -> String:
	var beside := path + ".new"
	var file := begin(beside)
	if file == null:
		return error_string(FileAccess.get_open_error())
	file.store_string(text)
	file.close()
	if FileAccess.get_file_as_string(beside) != text:
		DirAccess.remove_absolute(beside)
		return "the disk is full"
	var error := DirAccess.rename_absolute(beside, path)
	return "" if error == OK else error_string(error)
