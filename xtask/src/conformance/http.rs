//! As much of HTTP/1.1 as the proxy and the bridge need: one request on each connection.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// The head and the body of a request.
pub(crate) struct HttpRequest {
    /// The request line and the fields, each without its line end.
    pub(crate) head: Vec<String>,
    pub(crate) body: Vec<u8>,
}

impl HttpRequest {
    /// Reads a request; `None` if the connection ends first.
    pub(crate) fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut reader = BufReader::new(stream);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            head.push(line.to_owned());
        }
        let mut request = Self {
            head,
            body: Vec::new(),
        };
        let length = request.field("content-length").unwrap_or("0").parse();
        request.body = vec![0; length.unwrap_or_default()];
        reader.read_exact(&mut request.body)?;
        Ok(Some(request))
    }

    /// The method of the request line, such as `POST`.
    pub(super) fn method(&self) -> &str {
        let line = self.head.first().map_or("", String::as_str);
        line.split(' ').next().unwrap_or_default()
    }

    /// The value of a field, by its name in lower case.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let fields = self.head.iter().skip(1);
        fields
            .filter_map(|line| line.split_once(':'))
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}

/// Takes a free port of the loopback address.
pub(crate) fn bind() -> io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Answers whoever connects; a thread answers each connection.
pub(crate) fn serve(
    listener: TcpListener,
    answer: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static,
) {
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A client that goes away harms only itself.
            std::thread::spawn(move || drop(answer(stream)));
        }
    });
}

/// Passes one request on to another port with one more field, and its answer back.
pub(super) fn pass_on(mut client: TcpStream, port: u16, field: &str) -> io::Result<()> {
    let Some(mut request) = HttpRequest::read(&client)? else {
        return Ok(());
    };
    request
        .head
        .retain(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    request.head.push("Connection: close".to_owned());
    request.head.push(field.to_owned());
    let mut server = TcpStream::connect(("127.0.0.1", port))?;
    let head = request.head.join("\r\n");
    server.write_all(format!("{head}\r\n\r\n").as_bytes())?;
    server.write_all(&request.body)?;
    // The client going away ends the server's answer too.
    let (mut waiting, closing) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        drop(waiting.read(&mut [0]));
        drop(closing.shutdown(std::net::Shutdown::Both));
    });
    io::copy(&mut server, &mut client)?;
    client.shutdown(std::net::Shutdown::Both)
}

/// Writes an answer without a body.
pub(super) fn reply(mut client: &TcpStream, status: &str) -> io::Result<()> {
    let fields = "Content-Length: 0\r\nConnection: close";
    client.write_all(format!("HTTP/1.1 {status}\r\n{fields}\r\n\r\n").as_bytes())
}
